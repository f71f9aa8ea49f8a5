/** Shows Gateways, their listeners and routes, with the conditions of their statuses. */
import { get } from "../api.js";
import { badge, name as broken, facts, h, row, table } from "../dom.js";
import { showList } from "../list.js";
import { counted } from "../words.js";

/** @import { ConditionRow, GatewayRouteRow } from "../../src/ask/page/api/gateways.ts" */
/** @import { GatewayRow, GatewaysAnswer } from "../../src/ask/page/api/gateways.ts" */
/** @import { View } from "../main.js" */

/** A state that a user has requested, which is neither good nor bad. */
const asked = ["sluice.dev/Shadow"];

/** Routes of these kinds have no hostnames. */
const nameless = ["TCPRoute", "UDPRoute"];

/** @param {readonly ConditionRow[]} all */
function conditions(all) {
  return h(
    "ul",
    { class: "conditions" },
    all.map(({ type, status, reason, message, isGood }) =>
      h(
        "li",
        {},
        badge(
          `${type} ${status}`,
          isGood ? (asked.includes(type) ? "calm" : "good") : status === "Unknown" ? "calm" : "bad",
        ),
        !isGood && h("small", {}, `${reason}: ${message}`),
      ),
    ),
  );
}

/** @param {GatewayRow} gateway */
function gatewaySection({ kind, name, parent, addresses, conditions: own, listeners }) {
  const rows = listeners.map((one) =>
    row([
      ["Listener", one.name],
      ["Port", `${one.port} ${one.protocol}`, "when"],
      ["Hostname", one.hostname || "all", "wide"],
      [
        "Routes",
        h(
          "a",
          { href: `/ui/gateways?${new URLSearchParams({ filter: `${kind} ${name} ${one.name}` })}` },
          String(one.attachedRoutes),
        ),
        "number",
      ],
      ["Conditions", conditions(one.conditions), "wide"],
    ]),
  );
  return h(
    "section",
    {},
    h("h2", {}, `${kind} ${name}`),
    facts([
      [kind === "Gateway" ? "Class" : "Gateway", parent],
      ["Addresses", addresses.join(", ") || "none"],
    ]),
    conditions(own),
    rows.length === 0 ? h("p", { class: "empty" }, "It has no listeners.") : table(`Listeners of ${name}`, rows),
  );
}

/** @param {GatewayRouteRow} route */
function routeRow({ kind, name, hostnames, parent, conditions: own }) {
  return row([
    ["Route", h("b", {}, broken(`${kind} ${name}`)), "wide"],
    ["Hostnames", hostnames.join(", ") || (nameless.includes(kind) ? "–" : "of the listener"), "wide"],
    ["Parent", parent, "wide"],
    ["Conditions", conditions(own), "wide"],
  ]);
}

/** @param {GatewaysAnswer} answer */
function above({ classes, gateways, moreGateways, totalGateways }) {
  const classFacts = classes.map(({ name, conditions: own }) => /** @type {const} */ ([name, conditions(own)]));
  return [
    classes.length > 0 && h("section", {}, h("h2", {}, "Classes"), facts(classFacts)),
    totalGateways === 0 && h("p", { class: "empty" }, "There are no Gateways of this controller."),
    ...gateways.map(gatewaySection),
    moreGateways > 0 && h("p", {}, `And ${counted(moreGateways, "more Gateway")}, which the filter finds.`),
    h("h2", {}, "Routes"),
  ];
}

/** @type {View} */
export const view = {
  title: "Gateways",
  shows: ["gateways"],
  show: (root) =>
    showList(root, {
      ask: (question, signal) => get("gateways", question, signal),
      rows: ["route", "routes"],
      caption: "Routes of Gateways",
      filterHint: "Gateway, listener, route, hostname, condition …",
      empty: "No route names a Gateway of this controller.",
      unmatched: "No route matches the filter.",
      usualSort: "route",
      columns: [
        ["Route", "route", "wide"],
        ["Hostnames", "hostnames", "wide"],
        ["Parent", "parent", "wide"],
        ["Conditions", "conditions", "wide"],
      ],
      row: routeRow,
      filtersAll: true,
      before: (/** @type {GatewaysAnswer} */ answer) => above(answer),
    }),
};
