/** Shows all hosts and paths. */
import { get } from "../api.js";
import { badge, h, name, row } from "../dom.js";
import { showList } from "../list.js";
import { count, objectName, quantile, rate, routeHref } from "../words.js";

/** @import { RouteList, RouteRow } from "../../src/ask/page/api/routes.ts" */
/** @import { View } from "../main.js" */

const tones = /** @type {const} */ ({
  ok: "good",
  failing: "warn",
  closed: "bad",
  "no endpoints": "bad",
  unreachable: "warn",
});

/** @param {RouteRow} route */
function routeRow(route) {
  const { host, path, match, owner, backend, ready, notReady, canaries, state, why, when, listener, traffic } = route;
  const note = [when, listener && `listener ${listener}`].filter((part) => part !== "").join(" · ");
  const errors = traffic?.errorsPerSecond ?? 0;
  return row([
    [
      "Route",
      [
        h("a", { href: routeHref(route) }, h("b", {}, name(host)), name(path)),
        note !== "" && h("small", {}, note),
        why !== "" && h("small", { class: "loud" }, name(why)),
      ],
      "wide",
    ],
    ["Match", match],
    ["Owner", objectName(owner), "wide"],
    [
      "Backend",
      [
        name(backend || (state === "closed" ? "none" : "default backend")),
        canaries > 0 && h("small", {}, `and ${canaries} canary`),
      ],
      "wide",
    ],
    ["Endpoints", notReady === 0 ? count(ready) : `${count(ready)} of ${count(ready + notReady)}`, "number"],
    ["State", badge(state, tones[state])],
    ["Requests/s", traffic ? rate(traffic.requestsPerSecond) : "–", "number"],
    ["Errors/s", traffic ? rate(errors) : "–", errors > 0 ? "number loud" : "number"],
    ["p50", quantile(traffic?.p50), "number"],
    ["p99", quantile(traffic?.p99), "number"],
  ]);
}

/** @type {View} */
export const view = {
  title: "Routes",
  shows: ["routes"],
  hasTraffic: true,
  show: (root) =>
    showList(root, {
      ask: (question, signal) => get("routes", question, signal),
      rows: ["route", "routes"],
      caption: "Routes: host and path, and where they lead",
      filterHint: "host, path, namespace, Service, closed …",
      empty: "There are no routes. An Ingress or a route of a Gateway adds some.",
      usualSort: "host",
      columns: [
        ["Route", "host", "wide"],
        ["Match", "match"],
        ["Owner", "owner", "wide"],
        ["Backend", "backend", "wide"],
        ["Endpoints", "endpoints", "number"],
        ["State", "state"],
        ["Requests/s", "requests", "number"],
        ["Errors/s", "errors", "number"],
        ["p50", "p50", "number"],
        ["p99", "p99", "number"],
      ],
      row: routeRow,
      before: (/** @type {RouteList} */ { notCounted }) =>
        notCounted === "" ? [] : [h("p", { class: "note" }, `No figures of requests: ${notCounted}.`)],
    }),
};
