/** Shows one route: its target, the state of its endpoints, and its settings with their sources. */
import { get } from "../api.js";
import { badge, facts, fill, h, row, table } from "../dom.js";
import { cutList, showList } from "../list.js";
import { counted, duration, kubectl, objectName, plots, quantile, rate } from "../words.js";

/** @import { EndpointRow, RouteDetail } from "../../src/ask/page/api/routes.ts" */
/** @import { HistoryAnswer } from "../../src/ask/page/api/history.ts" */
/** @import { ViewsAnswer } from "../../src/ask/page/api/views.ts" */
/** @import { Child } from "../dom.js" */
/** @import { View } from "../main.js" */

/** @typedef {{ route: RouteDetail, history: HistoryAnswer, links: ViewsAnswer }} Answer */

/** The parameters that identify a route in an address and a request. */
const parameters = ["host", "path", "owner", "listener", "when"];

const endpointTones = /** @type {const} */ ({ ready: "good", draining: "warn", "not ready": "bad" });

/**
 * @param {string} title
 * @param {Child} content
 */
const section = (title, content) => h("section", {}, h("h2", {}, title), content);

/**
 * @param {RouteDetail} route
 * @param {ViewsAnswer} links
 */
function summary(
  { host, path, match, owner, listener, when, certificate, state, why, traffic, notCounted },
  { grafana, hasCluster },
) {
  const [namespace = "", name = ""] = owner.name.split("/");
  const dashboard = grafana.replace(/\{(host|namespace|name)\}/g, (_, key) =>
    encodeURIComponent(key === "host" ? host : key === "name" ? name : namespace),
  );
  const asked = new URLSearchParams({ url: `${certificate ? "https" : "http"}://${host.replace("*", "any")}${path}` });
  return [
    facts([
      [
        "State",
        [badge(state, state === "ok" ? "good" : state === "failing" ? "warn" : "bad"), why !== "" && ` ${why}`],
      ],
      ["Match", when === "" ? match : `${match}, ${when}`],
      ["Owner", objectName(owner)],
      hasCluster && owner.name !== "" && ["Object", h("code", {}, kubectl(owner))],
      dashboard !== "" && ["Dashboard", h("a", { href: dashboard, rel: "noreferrer" }, "Grafana")],
      listener !== "" && ["Listener", listener],
      ["Certificate", certificate ? [`${certificate.secret}, until ${certificate.expires.slice(0, 10)}`] : "default"],
      ["Requests", traffic ? `${rate(traffic.requestsPerSecond)}/s, ${rate(traffic.errorsPerSecond)}/s with 5xx` : "–"],
      ["Answers", traffic ? `p50 ${quantile(traffic.p50)}, p99 ${quantile(traffic.p99)}` : "–"],
    ]),
    notCounted !== "" && h("p", { class: "note" }, `No figures of requests: ${notCounted}.`),
    h("p", {}, h("a", { class: "action", href: `/ui/ask?${asked}` }, "Ask what becomes of a request here")),
  ];
}

/** @param {RouteDetail} route */
function backends({ backends: all, canaryRows }) {
  const rows = [
    ...all.map(({ service, share, balance, ready, unusable }) =>
      row([
        ["Service", [service, unusable !== "" && h("small", { class: "loud" }, unusable)], "wide"],
        ["Share", canaryRows.length > 0 ? "the rest" : `${Math.round(share * 1000) / 10} %`, "number"],
        ["Balanced", balance],
        ["Ready", ready, "number"],
      ]),
    ),
    ...canaryRows.map(({ service, when, ready }) =>
      row([
        ["Service", [service, " ", badge("canary", "calm")], "wide"],
        ["Share", when, "number"],
        ["Balanced", "as the route"],
        ["Ready", ready, "number"],
      ]),
    ),
  ];
  return rows.length === 0 ? h("p", { class: "empty" }, "No backend is asked.") : table("Backends and canaries", rows);
}

/** @param {EndpointRow} endpoint */
function endpointRow({ service, address, state, answerSeconds, failures, lastError }) {
  return row([
    ["Endpoint", [h("code", {}, address), lastError !== "" && h("small", { class: "loud" }, lastError)], "wide"],
    ["Service", service, "wide"],
    ["State", badge(state, endpointTones[state])],
    ["Average answer", answerSeconds === null ? "–" : duration(answerSeconds), "number"],
    ["Failed tries", failures === null ? "–" : failures, failures ? "number loud" : "number"],
  ]);
}

/** @param {EndpointRow} endpoint */
const endpointText = ({ service, address, state }) => [address, service, state].join("\n");

/** @param {RouteDetail} route */
function settings({ settings: all }) {
  if (all.length === 0) return h("p", { class: "empty" }, "All settings have their defaults.");
  const rows = all.map(({ key, value, from }) =>
    row([
      ["Setting", h("code", {}, key)],
      ["Value", value === null ? h("em", {}, "not shown") : h("code", {}, value), "wide"],
      ["From", from, "wide"],
    ]),
  );
  return table("Settings that somebody gave", rows);
}

/** @type {View} */
export const view = {
  title: "Route",
  shows: ["routes", "problems"],
  hasTraffic: true,
  show(root) {
    const params = new URLSearchParams(location.search);
    const named = new URLSearchParams([...params].filter(([name]) => parameters.includes(name)));
    const content = h("div", {});
    fill(
      root,
      h("p", {}, h("a", { href: "/ui/routes" }, "All routes")),
      h("p", { class: "subject" }, `${params.get("host") ?? ""}${params.get("path") ?? ""}`),
      content,
    );
    return showList(content, {
      ask: async (question, signal) => {
        /** @type {RouteDetail} */
        const route = await get("route", named, signal);
        const { countedHost, path, owner } = route;
        const of = new URLSearchParams({ host: countedHost, path, owner: owner.name });
        const [history, links] = await Promise.all([get("history", of, signal), get("views", undefined, signal)]);
        const endpoints = cutList(route.endpoints, question, endpointText, {
          address: ({ address }) => address,
          service: ({ service }) => service,
          state: ({ state }) => state,
          answer: ({ answerSeconds }) => answerSeconds ?? 0,
          failures: ({ failures }) => failures ?? 0,
        });
        return { ...endpoints, route, history, links };
      },
      rows: ["endpoint", "endpoints"],
      caption: "Endpoints",
      filterHint: "address, Service, not ready …",
      empty: "There are no endpoints.",
      usualSort: "",
      few: 10,
      columns: [
        ["Endpoint", "address", "wide"],
        ["Service", "service", "wide"],
        ["State", "state"],
        ["Average answer", "answer", "number"],
        ["Failed tries", "failures", "number"],
      ],
      row: endpointRow,
      before: (/** @type {Answer} */ { route, history, links }) => [
        ...summary(route, links),
        ...plots(history, false),
        route.problems.length > 0 &&
          section(
            "Problems",
            h(
              "ul",
              { class: "problems" },
              route.problems.map((one) => h("li", {}, one)),
            ),
          ),
        route.failed.length > 0 &&
          section(
            "Last failed requests",
            h(
              "ul",
              { class: "problems" },
              route.failed.map((one) => h("li", {}, one)),
            ),
          ),
        section("Backends", backends(route)),
        h("h2", {}, "Endpoints"),
      ],
      after: (/** @type {{ route: RouteDetail }} */ { route }) => [
        route.moreEndpoints > 0 && h("p", {}, `And ${counted(route.moreEndpoints, "more endpoint")}.`),
        route.endpoints.length > 0 &&
          h(
            "p",
            { class: "note" },
            "The average of answers is kept where endpoints are balanced by it (load-balance: ewma). Failed tries are requests that went on to another try, in the last ten minutes.",
          ),
        section("Settings", settings(route)),
      ],
    });
  },
};
