import { expect, test } from "vitest";
import type { Watch } from "../../cluster/watches.ts";
import type { ReflectorEvent } from "../../kubernetes/index.ts";
import { openLog } from "../../log/log.ts";
import { ingressClasses, services } from "../../resources.ts";
import { ClusterLog } from "./cluster-log.ts";

function setUp() {
  const lines: string[] = [];
  let nowMs = 0;
  const log = openLog({ verbosity: 0, terminal: false, write: (line) => lines.push(line) });
  const clusterLog = new ClusterLog(log, () => nowMs);
  const passTime = (ms: number) => {
    nowMs += ms;
  };
  const logged = () =>
    lines.splice(0).map((line) => {
      const { level, time, msg, ...fields } = JSON.parse(line);
      return [msg, fields];
    });
  return { clusterLog, passTime, logged };
}

const one: Watch = { of: services, namespace: "shop" };
const classes: Watch = { of: ingressClasses, without: "classes do not count" };
const failed = (denied: boolean): ReflectorEvent => ({
  kind: "failed",
  denied,
  failure: { reason: "", code: 0, message: "why not" },
  retryMs: 800,
});
const watching: ReflectorEvent = { kind: "watching", resourceVersion: "1" };
const listed: ReflectorEvent = { kind: "listed", objects: 1, streamed: false, tookMs: 1 };

test("a server that does not answer is reported once, and its return once every watch is back", () => {
  const { clusterLog, passTime, logged } = setUp();
  for (const watch of [one, classes, one]) clusterLog.report(watch, failed(false));
  passTime(12_000);
  clusterLog.report(one, watching);
  expect(logged()).toEqual([["the API server is not reached; the last state is still served", { why: "why not" }]]);
  clusterLog.report(classes, listed);
  clusterLog.report(classes, watching);
  expect(logged()).toEqual([["the API server is reached again", { away: "12s" }]]);
});

test("a kind that is refused is reported once with the consequence, and once more when it is allowed", () => {
  const { clusterLog, logged } = setUp();
  for (const watch of [one, classes, one, classes]) clusterLog.report(watch, failed(true));
  expect(logged()).toEqual([
    [
      "the API server refuses to list",
      {
        what: "services in namespace shop",
        why: "why not",
        consequence: "nothing new can be served until it is allowed",
      },
    ],
    ["the API server refuses to list", { what: "ingressclasses", why: "why not", consequence: "classes do not count" }],
  ]);
  clusterLog.report(classes, listed);
  clusterLog.report(classes, listed);
  expect(logged()).toEqual([["the API server allows it now", { what: "ingressclasses" }]]);
});
