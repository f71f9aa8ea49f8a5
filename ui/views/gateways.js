/** Gateways, their listeners and routes, with the conditions that their status says. */
import { get } from "../api.js";
import { badge, facts, fill, h, refill, row, table } from "../dom.js";
import { counted } from "../words.js";

/** @import { ConditionRow, GatewayRow, GatewaysAnswer } from "../../src/page/api/gateways.ts" */
/** @import { View } from "../main.js" */

/** Conditions that are bad news when they are True. */
const badWhenTrue = ["Conflicted", "OverlappingTLSConfig", "PartiallyInvalid", "InsecureFrontendValidationMode"];

/** @param {readonly ConditionRow[]} all */
function conditions(all) {
  return h(
    "ul",
    { class: "conditions" },
    all.map(({ type, status, reason, message }) => {
      const isGood = (status === "True") !== badWhenTrue.includes(type);
      const says = isGood ? message : `${reason}: ${message}`;
      return h(
        "li",
        {},
        badge(`${type} ${status}`, status === "Unknown" ? "calm" : isGood ? "good" : "bad"),
        !isGood && h("small", {}, says),
      );
    }),
  );
}

/** @param {GatewayRow} gateway */
function gatewaySection({ kind, name, parent, addresses, conditions: own, listeners }) {
  const rows = listeners.map((one) =>
    row([
      ["Listener", one.name],
      ["Port", `${one.port} ${one.protocol}`],
      ["Hostname", one.hostname || "all", "wide"],
      ["Routes", one.attachedRoutes, "number"],
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
      ["Conditions", conditions(own)],
    ]),
    table(`Listeners of ${name}`, rows),
  );
}

/** @param {GatewaysAnswer} answer */
function routesSection({ routes, moreRoutes }) {
  const rows = routes.map(({ kind, name, hostnames, parent, conditions: own }) =>
    row([
      ["Route", `${kind} ${name}`, "wide"],
      ["Hostnames", hostnames.join(", ") || "of the listener", "wide"],
      ["Parent", parent, "wide"],
      ["Conditions", conditions(own), "wide"],
    ]),
  );
  return h(
    "section",
    {},
    h("h2", {}, "Routes"),
    table("Routes of Gateways", rows),
    moreRoutes > 0 && h("p", {}, `And ${counted(moreRoutes, "more route")}.`),
  );
}

/** @type {View} */
export const view = {
  title: "Gateways",
  shows: ["gateways"],
  show(root) {
    const content = h("div", {});
    fill(root, content);
    return {
      async refresh() {
        /** @type {GatewaysAnswer} */
        const answer = await get("gateways");
        const { classes, gateways, routes } = answer;
        if (classes.length + gateways.length === 0)
          return refill(
            content,
            h("p", { class: "empty" }, "There are no GatewayClasses or Gateways of this controller."),
          );
        const classFacts = classes.map(({ name, conditions: own }) => /** @type {const} */ ([name, conditions(own)]));
        refill(content, [
          classes.length > 0 && h("section", {}, h("h2", {}, "Classes"), facts(classFacts)),
          ...gateways.map(gatewaySection),
          routes.length > 0 && routesSection(answer),
        ]);
      },
    };
  },
};
