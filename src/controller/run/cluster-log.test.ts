import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Watch } from "../../edges/cluster/watches.ts";
import { openLog } from "../../edges/log/log.ts";
import { ingressClasses, services } from "../../edges/resources.ts";
import type { ReflectorEvent } from "../../kube/index.ts";
import { ClusterLog } from "./cluster-log.ts";

function setUp() {
  const lines: string[] = [];
  const clock = new FakeClock();
  const log = openLog({ verbosity: 0, terminal: false, write: (line) => lines.push(line) });
  const clusterLog = new ClusterLog(log, clock);
  const passTime = (ms: number) => clock.advance(ms);
  const logged = () =>
    lines.splice(0).map((line) => {
      const { level, time, msg, ...fields } = JSON.parse(line);
      return [msg, fields];
    });
  return { clusterLog, passTime, logged };
}

const one: Watch = { of: services, namespace: "shop" };
const classes: Watch = { of: ingressClasses, without: "classes do not count" };
const failed = (denied: boolean, message = "why not", broken = false): ReflectorEvent => ({
  kind: "failed",
  denied,
  broken,
  failure: { reason: "", code: 0, message },
  retryMs: 800,
});
const away = "the API server is not reached; the last state is still served";
const watching: ReflectorEvent = { kind: "watching", resourceVersion: "1" };
const listed: ReflectorEvent = { kind: "listed", objects: 1, streamed: false, tookMs: 1 };

test("a server that does not answer is reported once, and its return once every watch has been back for 3 s", async () => {
  const { clusterLog, passTime, logged } = setUp();
  for (const watch of [one, classes, one]) clusterLog.report(watch, failed(false));
  await passTime(12_000);
  clusterLog.report(one, watching);
  expect(logged()).toEqual([[away, { why: "why not" }]]);
  clusterLog.report(classes, listed);
  clusterLog.report(classes, watching);
  await passTime(2_999);
  expect(logged()).toEqual([]);
  await passTime(1);
  expect(logged()).toEqual([["the API server is reached again", { away: "12s" }]]);
});

test("a server that answers for a moment only is one outage, and each new cause is logged once", async () => {
  const { clusterLog, passTime, logged } = setUp();
  for (const cause of ["refused", "timed out", "refused", "timed out"]) {
    clusterLog.report(one, failed(false, cause));
    await passTime(1_000);
    clusterLog.report(one, watching);
    await passTime(1_000);
  }
  expect(logged()).toEqual([
    [away, { why: "refused" }],
    ["the API server is still not reached", { why: "timed out" }],
  ]);
  await passTime(3_000);
  expect(logged()).toEqual([["the API server is reached again", { away: "7s" }]]);
});

test("a server is reached again also if the watch that missed it has ended", async () => {
  const { clusterLog, passTime, logged } = setUp();
  clusterLog.report(one, failed(false));
  clusterLog.report(one, { kind: "ended" });
  await passTime(3_000);
  expect(logged().map(([message]) => message)).toEqual([away, "the API server is reached again"]);
});

test("a watch that breaks is reported with the cause, once in five minutes, also of an optional kind", async () => {
  const { clusterLog, passTime, logged } = setUp();
  const optional: Watch = { ...one, optional: true };
  clusterLog.report(optional, listed);
  const line = [
    "the API server sent something unusable; the last state is still served",
    { what: "services in namespace shop", why: "noise", retry: "0.8s" },
  ];
  for (let i = 0; i < 5; i += 1) {
    clusterLog.report(optional, failed(false, "noise", true));
    clusterLog.report(optional, watching);
  }
  expect(logged()).toEqual([line]);
  await passTime(300_000);
  clusterLog.report(optional, failed(false, "noise", true));
  expect(logged()).toEqual([line]);
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
