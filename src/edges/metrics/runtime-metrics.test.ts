import { expect, test } from "vitest";
import { RuntimeMetrics } from "./runtime-metrics.ts";

const metricsWith = (enabled: boolean) =>
  new RuntimeMetrics({ labels: { controller_pod: "one" }, enabled, electionId: "leader" });

/** Returns the lines with a value, without the buckets of histograms and their sums. */
async function samples(metrics: RuntimeMetrics): Promise<readonly string[]> {
  const lines = (await metrics.exposition()).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#") && !/_(bucket|sum)\{/.test(line));
}

test("requests are counted by verb and status, and one without an answer has no status", async () => {
  const metrics = metricsWith(true);
  metrics.request({ verb: "list", path: "/api/v1/pods", code: 200, tookMs: 3 });
  metrics.request({ verb: "list", path: "/api/v1/pods", code: 200, tookMs: 3 });
  metrics.request({ verb: "watch", path: "/api/v1/pods", code: 0, tookMs: 3 });
  expect(await samples(metrics)).toEqual([
    'sluice_api_requests_total{verb="list",code="200"} 2',
    'sluice_api_requests_total{verb="watch",code="none"} 1',
    'sluice_api_request_seconds_count{verb="list"} 2',
    'sluice_api_request_seconds_count{verb="watch"} 1',
  ]);
});

test("a streaming list counts as a list and a watch, and a failure is counted by its reason", async () => {
  const metrics = metricsWith(true);
  metrics.reflected("ingresses", { kind: "listed", objects: 7, streamed: true, tookMs: 40 });
  metrics.reflected("ingresses", { kind: "watching", resourceVersion: "1" });
  const failure = { reason: "Expired", code: 410, message: "" };
  metrics.reflected("ingresses", { kind: "failed", denied: false, broken: false, failure, retryMs: 1 });
  metrics.reflected("ingresses", { kind: "version-lost", why: "" });
  expect(await samples(metrics)).toEqual([
    'sluice_reflector_lists_total{kind="ingresses"} 1',
    'sluice_reflector_list_seconds_count{kind="ingresses"} 1',
    'sluice_reflector_list_objects{kind="ingresses"} 7',
    'sluice_reflector_watches_total{kind="ingresses"} 2',
    'sluice_reflector_failures_total{kind="ingresses",reason="Expired"} 1',
    'sluice_reflector_versions_lost_total{kind="ingresses"} 1',
  ]);
});

test("the depth of a queue is the last one reported, and adds and retries are counted", async () => {
  const metrics = metricsWith(true);
  metrics.queued("status", { kind: "added", depth: 1 });
  metrics.queued("status", { kind: "added", depth: 2 });
  metrics.queued("status", { kind: "taken", depth: 1, waitedMs: 5 });
  metrics.queued("status", { kind: "done", tookMs: 5 });
  metrics.queued("status", { kind: "retried" });
  expect(await samples(metrics)).toEqual([
    'sluice_queue_depth{queue="status"} 1',
    'sluice_queue_adds_total{queue="status"} 2',
    'sluice_queue_retries_total{queue="status"} 1',
    'sluice_queue_wait_seconds_count{queue="status"} 1',
    'sluice_queue_work_seconds_count{queue="status"} 1',
  ]);
});

test("a leader has the value 1 and afterwards 0, and a replica that never led has no value", async () => {
  const metrics = metricsWith(true);
  metrics.elected({ kind: "observed", leader: "other" });
  expect(await samples(metrics)).toEqual([]);
  const line = 'nginx_ingress_controller_leader_election_status{controller_pod="one",name="leader"}';
  metrics.elected({ kind: "leading" });
  expect(await samples(metrics)).toEqual([`${line} 1`]);
  metrics.elected({ kind: "lost", why: "" });
  expect(await samples(metrics)).toEqual([`${line} 0`]);
});

test("without --enable-metrics only metrics of Sluice itself are there", async () => {
  const metrics = metricsWith(false);
  metrics.elected({ kind: "leading" });
  metrics.request({ verb: "get", path: "/api/v1/pods", code: 404, tookMs: 1 });
  expect((await metrics.exposition()).includes("nginx_ingress_controller")).toBe(false);
  expect(await samples(metrics)).toContain('sluice_api_requests_total{verb="get",code="404"} 1');
});
