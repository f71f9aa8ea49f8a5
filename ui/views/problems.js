/** Shows mistakes in the objects of the cluster, what nginx refused, and which paths answer 503. */
import { get } from "../api.js";
import { h, name, row, table } from "../dom.js";
import { showList } from "../list.js";
import { count, objectName, since } from "../words.js";

/** @import { ProblemList, ProblemRow } from "../../src/ask/page/api/problems.ts" */
/** @import { View } from "../main.js" */

/**
 * The view that shows what is served of an object; undefined if none does.
 * @param {ProblemRow} problem
 */
function viewOf({ object, kind }) {
  if (["Ingress", "HTTPRoute", "GRPCRoute"].includes(object.kind)) return "routes";
  if (/^(Gateway|ListenerSet|TCPRoute|UDPRoute|TLSRoute)/.test(object.kind)) return "gateways";
  return kind.startsWith("certificate-") ? "certificates" : undefined;
}

/** @param {ProblemRow} problem */
function problemRow(problem) {
  const { object, kind, meaning, sentence, since: first, meanwhile } = problem;
  const title = h("b", {}, name(objectName(object)));
  const view = viewOf(problem);
  const filter = view === "certificates" ? object.name : objectName(object);
  return row([
    ["Object", view ? h("a", { href: `/ui/${view}?${new URLSearchParams({ filter })}` }, title) : title, "wide"],
    ["Problem", [sentence, h("small", {}, `${kind}: ${meaning}`)], "wide text"],
    ["Served meanwhile", meanwhile, "wide"],
    ["Since", since(first), "when"],
  ]);
}

/** @param {ProblemList} answer */
function refused({ quarantine }) {
  if (quarantine.length === 0) return [];
  const rows = quarantine.map(({ object, said }) =>
    row([
      ["Object", object],
      ["nginx said", h("code", {}, said), "wide text"],
    ]),
  );
  return [h("section", {}, h("h2", {}, "Set aside, because nginx refused it"), table("Refused by nginx", rows))];
}

/** @param {ProblemList} answer */
function unanswered({ unanswered: causes }) {
  if (causes.length === 0) return [];
  const rows = causes.map(({ cause, paths, host, path }) =>
    row([
      ["Cause", cause, "wide text"],
      ["Paths", count(paths), "number"],
      [
        "For example",
        h("a", { href: `/ui/routes?${new URLSearchParams({ filter: host })}` }, name(`${host}${path}`)),
        "wide",
      ],
    ]),
  );
  return [h("section", {}, h("h2", {}, "Paths that answer 503 or 500"), table("By cause", rows))];
}

/** @type {View} */
export const view = {
  title: "Problems",
  shows: ["problems"],
  show: (root) =>
    showList(root, {
      ask: (question, signal) => get("problems", question, signal),
      rows: ["problem", "problems"],
      caption: "Problems by object",
      filterHint: "namespace, object, annotation …",
      empty: "There are no problems.",
      usualSort: "object",
      columns: [
        ["Object", "object", "wide"],
        ["Problem", "kind", "wide"],
        ["Served meanwhile"],
        ["Since", "since", "when"],
      ],
      row: problemRow,
      before: (/** @type {ProblemList} */ answer) => [
        ...refused(answer),
        ...unanswered(answer),
        ...(answer.total > 0 ? [h("h2", {}, "Problems of objects")] : []),
      ],
    }),
};
