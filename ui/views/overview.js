/** Shows the present state of the controller, and its last changes. */
import { get } from "../api.js";
import { badge, facts, h, name, row } from "../dom.js";
import { cutList, showList } from "../list.js";
import { bytes, count, counted, duration, plots, quantile, rate, since } from "../words.js";

/** @import { TrafficEvent } from "../../src/ask/page/api/events.ts" */
/** @import { HistoryAnswer } from "../../src/ask/page/api/history.ts" */
/** @import { StatusAnswer, StatusChange } from "../../src/ask/page/api/status.ts" */
/** @import { View } from "../main.js" */

const tones = /** @type {const} */ ({ live: "good", waiting: "warn", refused: "bad", failed: "bad" });

/** @param {TrafficEvent["traffic"] | undefined} traffic */
function trafficTiles(traffic) {
  if (!traffic) return [];
  const { requestsPerSecond, errorsPerSecond, p99 } = traffic;
  return /** @type {const} */ ([
    ["Requests/s", rate(requestsPerSecond), "/ui/routes?sort=requests&order=desc", ""],
    ["Errors/s", rate(errorsPerSecond), "/ui/routes?sort=errors&order=desc", errorsPerSecond > 0 ? "bad" : ""],
    ["p99 of answers", quantile(p99), "/ui/routes?sort=p99&order=desc", ""],
  ]);
}

/**
 * @param {StatusAnswer} status
 * @param {TrafficEvent["traffic"] | undefined} traffic
 */
function tiles({ counts }, traffic) {
  const { hosts, routes, endpoints, certificates, gateways, streams, problems, quarantined } = counts;
  const wrong = problems.error + problems.warning;
  const parts = /** @type {const} */ ([
    ...trafficTiles(traffic),
    ["Hosts", count(hosts), "/ui/routes", ""],
    ["Routes", count(routes), "/ui/routes", ""],
    ["Endpoints", count(endpoints), "/ui/routes?sort=endpoints&order=desc", ""],
    ["Certificates", count(certificates), "/ui/certificates", ""],
    ["Problems", count(wrong), "/ui/problems", problems.error > 0 ? "bad" : wrong > 0 ? "warn" : ""],
    ...(quarantined > 0 ? [/** @type {const} */ (["Set aside", count(quarantined), "/ui/problems", "bad"])] : []),
    ...(gateways > 0 ? [/** @type {const} */ (["Gateways", count(gateways), "/ui/gateways", ""])] : []),
    ...(streams > 0 ? [/** @type {const} */ (["Streams", count(streams), "/ui/gateways", ""])] : []),
  ]);
  return h(
    "ul",
    { class: "tiles" },
    parts.map(([name, value, href, tone]) =>
      h("li", { class: tone }, h("a", { href }, h("strong", {}, value), h("span", {}, name))),
    ),
  );
}

/** @param {StatusAnswer} status */
function attention({ attention: all }) {
  if (all.length === 0) return h("p", { class: "attention" }, badge("nothing needs attention", "good"));
  return h(
    "ul",
    { class: "attention", "aria-label": "What needs attention" },
    all.map(({ severity, says, view }) =>
      h(
        "li",
        {},
        badge(severity, severity === "error" ? "bad" : "warn"),
        " ",
        view === "" ? name(says) : h("a", { href: `/ui/${view}` }, name(says)),
      ),
    ),
  );
}

/** @param {StatusAnswer} status */
function state({ controller, live, behind, nginx, memory, leader, reloads }) {
  const draining = nginx.drainingGenerations;
  return facts([
    ["Sluice", `${controller.release}, ${controller.mode} mode, nginx ${controller.nginx}`],
    ["Running since", since(controller.startedAt)],
    controller.pod !== undefined && ["Pod", controller.pod],
    leader && ["Leader", leader.isOwn ? "this Pod" : (leader.name ?? "another Pod")],
    [
      "Configuration",
      live ? [h("code", {}, live.generation.slice(0, 12)), " live since ", since(live.since)] : "none yet",
    ],
    live && ["Last change", since(live.changedAt)],
    behind && ["Not live", [badge("behind", "bad"), ` ${behind.why}`]],
    [
      "nginx",
      [
        nginx.isRunning ? badge("runs", "good") : badge("does not run", "bad"),
        ` ${counted(nginx.workers, "worker")}`,
        nginx.connections !== undefined && `, ${counted(nginx.connections, "connection")}`,
        nginx.restarts > 0 && `, started again ${counted(nginx.restarts, "time")}`,
      ],
    ],
    [
      "Draining",
      draining === 0
        ? "nothing"
        : `${counted(draining, "older generation")}, ${counted(nginx.drainingWorkers, "worker")} with requests in flight`,
    ],
    memory && ["Shared memory", memoryInUse(memory)],
    [
      "Reloads",
      [
        count(reloads.succeeded),
        reloads.failed > 0 && `, and ${count(reloads.failed)} failed`,
        reloads.why.map(({ reason, count: times }) => h("small", {}, `${reason}: ${count(times)}`)),
      ],
    ],
  ]);
}

/** @param {NonNullable<StatusAnswer["memory"]>} memory */
function memoryInUse({ capacityBytes, freeBytes }) {
  const value = capacityBytes - freeBytes;
  const meter = { min: 0, max: capacityBytes, high: capacityBytes * 0.8, value, "aria-label": "Shared memory in use" };
  return [h("meter", meter), ` ${bytes(value)} of ${bytes(capacityBytes)}`];
}

/** @param {StatusChange} change */
function changeRow({ at, objects, more, published, outcome, tookMs, reload, problem }) {
  const records = Object.entries(published).map(([kind, records]) => `${kind} ${records}`);
  return row([
    ["When", since(at), "when"],
    [
      "What changed",
      [
        name(objects.join(", ") || "nothing of the objects"),
        more > 0 && ` and ${count(more)} more`,
        problem !== undefined && h("small", { class: "loud" }, problem),
      ],
      "wide text",
    ],
    ["Outcome", badge(outcome, tones[outcome])],
    ["Live after", duration(tookMs / 1000), "number"],
    ["Reload", reload ? ["yes", h("small", {}, reasons(reload))] : "no", "wide"],
    ["Published", records.join(", ") || "–"],
  ]);
}

/** @param {NonNullable<StatusChange["reload"]>} reload */
const reasons = ({ why, by }) => [why.join(", "), by].filter(Boolean).join(": ");

/** @param {StatusChange} change */
const changeText = ({ objects, outcome, reload, problem = "" }) =>
  [...objects, outcome, reload ? `reload yes ${reasons(reload)}` : "reload no", problem].join("\n");

/** @type {View} */
export const view = {
  title: "Overview",
  shows: ["overview", "problems", "routes"],
  hasTraffic: true,
  show(root) {
    /** @type {TrafficEvent["traffic"] | undefined} */
    let traffic;
    const list = showList(root, {
      ask: async (question, signal) => {
        /** @type {StatusAnswer} */
        const status = await get("status", undefined, signal);
        const history = await get("history", undefined, signal);
        const changes = cutList(status.changes, question, changeText, {
          object: ({ objects }) => objects[0] ?? "",
          outcome: ({ outcome }) => outcome,
          took: ({ tookMs }) => tookMs,
          reload: ({ reload }) => (reload ? 1 : 0),
        });
        return { ...changes, status, history };
      },
      rows: ["change", "changes"],
      caption: "The last hundred changes, newest first",
      filterHint: "object, field, live, reload yes …",
      empty: "Nothing has changed yet.",
      usualSort: "when",
      columns: [
        ["When", "when", "when"],
        ["What changed", "object", "wide"],
        ["Outcome", "outcome"],
        ["Live after", "took", "number"],
        ["Reload", "reload", "wide"],
        ["Published"],
      ],
      row: changeRow,
      before: (/** @type {{ status: StatusAnswer, history: HistoryAnswer }} */ { status, history }) => [
        attention(status),
        tiles(status, traffic),
        ...plots(history, true),
        h("section", {}, h("h2", {}, "State"), state(status)),
        h("h2", {}, "Last changes"),
      ],
    });
    return {
      refresh(/** @type {TrafficEvent["traffic"] | undefined} */ now) {
        traffic = now ?? traffic;
        return list.refresh();
      },
    };
  },
};
