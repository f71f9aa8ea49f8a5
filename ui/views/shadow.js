/**
 * Shows how routes in shadow would answer differently, and how they would have before they left it.
 */
import { get } from "../api.js";
import { badge, h, name, row } from "../dom.js";
import { showList } from "../list.js";
import { count, counted, since } from "../words.js";

/** @import { ShadowList, ShadowRow } from "../../src/ask/page/api/shadow.ts" */
/** @import { View } from "../main.js" */

const tones = /** @type {const} */ ({ "in shadow": "calm", "serves now": "good", "serves nothing": "warn" });

/** @param {ShadowRow} shadow */
function shadowRow({ host, path, route, rule, listener, now, differences, requests, example, state, until }) {
  const note = [rule && `rule ${rule}`, `listener ${listener}`].filter((part) => part !== "").join(" · ");
  return row([
    ["Host and path", h("b", {}, name(`${host}${path}`)), "wide"],
    ["Route in shadow", [name(route), h("small", {}, note)], "wide"],
    ["Served now by", now, "wide"],
    [
      "What would differ",
      differences.map(({ kind, means }) =>
        h("div", {}, badge(kind, kind === "same" ? "good" : "warn"), h("small", {}, means)),
      ),
      "wide",
    ],
    ["Requests", count(requests), "number"],
    ["For example", h("code", {}, name(example)), "wide text"],
    ["State", [badge(state, tones[state]), until !== null && h("small", {}, "since ", since(until))]],
  ]);
}

/** @param {ShadowList} answer */
function above({ requests, same }) {
  const share = requests === 0 ? "" : ` ${count(same)} of them would be answered as now.`;
  return [
    h(
      "p",
      { class: "note" },
      `Routes with the annotation sluice.dev/shadow serve nothing. nginx has counted ${counted(requests, "request")} that they would have taken.${share} Examples have no headers and no values of their query.`,
    ),
  ];
}

/** @type {View} */
export const view = {
  title: "Shadow",
  shows: ["shadow"],
  hasTraffic: true,
  show: (root) =>
    showList(root, {
      ask: (question, signal) => get("shadow", question, signal),
      rows: ["match", "matches"],
      caption: "Requests that routes in shadow would take, and what would differ",
      filterHint: "host, path, route, backend, same …",
      empty: "No request has met a route in shadow.",
      usualSort: "host",
      columns: [
        ["Host and path", "host", "wide"],
        ["Route in shadow", "route", "wide"],
        ["Served now by", "now", "wide"],
        ["What would differ", "differences", "wide"],
        ["Requests", "requests", "number"],
        ["For example", "", "wide"],
        ["State", "state"],
      ],
      row: shadowRow,
      before: (/** @type {ShadowList} */ answer) => above(answer),
    }),
};
