import { expect, test } from "vitest";
import { RequestMetrics, type RequestMetricsOptions } from "./request-metrics.ts";

const options: RequestMetricsOptions = {
  labels: { controller_pod: "p" },
  perHost: true,
  buckets: { time: [0.1, 1], length: [10], size: [10] },
  exclude: ["response_size", "nginx_ingress_controller_bytes_sent"],
  serves: () => true,
};
const labels = ["a.example", "shop", "web", "web", "/", "", "GET", "200"];
const line = (...parts: unknown[]) => `${JSON.stringify(parts)}\n`;
const linesOf = (metrics: RequestMetrics, name: string) =>
  metrics
    .exposition()
    .split("\n")
    .filter((one) => one.startsWith(`nginx_ingress_controller_${name}`));

test("sums of several workers add up, and labels stand as ingress-nginx has them", () => {
  const metrics = new RequestMetrics(options);
  metrics.take(line("r", labels, 3) + line("r", labels, 2));
  metrics.take(line("r", labels, 1));
  const text =
    'controller_pod="p",host="a.example",namespace="shop",ingress="web",service="web",path="/",canary="",method="GET",status="200"';
  expect(linesOf(metrics, "requests")).toEqual([`nginx_ingress_controller_requests{${text}} 6`]);
});

test("buckets are cumulative, and what is above the last is in +Inf alone", () => {
  const metrics = new RequestMetrics(options);
  // request_duration_seconds has the places 1 to 4: sum, count, up to 0.1, up to 1.
  metrics.take(line("h", labels.slice(0, 4), [1, 5.5, 2, 4, 3, 1, 4, 2]));
  const text = 'controller_pod="p",host="a.example",namespace="shop",ingress="web",service="web"';
  expect(linesOf(metrics, "request_duration")).toEqual([
    `nginx_ingress_controller_request_duration_seconds_bucket{${text},le="0.1"} 1`,
    `nginx_ingress_controller_request_duration_seconds_bucket{${text},le="1"} 3`,
    `nginx_ingress_controller_request_duration_seconds_bucket{${text},le="+Inf"} 4`,
    `nginx_ingress_controller_request_duration_seconds_sum{${text}} 5.5`,
    `nginx_ingress_controller_request_duration_seconds_count{${text}} 4`,
  ]);
  expect(linesOf(metrics, "response_duration")).toEqual([]);
});

test("excluded metrics are left out, and the places of the others stay", () => {
  const metrics = new RequestMetrics(options);
  // 17 to 19 are request_size, 20 to 22 response_size.
  metrics.take(line("h", labels.slice(0, 4), [17, 7, 18, 1, 19, 1, 20, 9, 21, 1]));
  expect(linesOf(metrics, "request_size_sum")).toEqual([expect.stringMatching(/ 7$/)]);
  expect(metrics.exposition()).not.toMatch(/response_size|bytes_sent/);
});

test("beyond the ceiling labels are counted as other, and nothing is lost", () => {
  const metrics = new RequestMetrics({ ...options, mostSeries: 2 });
  for (const host of ["a", "b", "c", "d"]) metrics.take(line("r", [host, ...labels.slice(1)], 1));
  const lines = linesOf(metrics, "requests");
  expect(lines).toHaveLength(3);
  expect(lines.at(-1)).toMatch(/host="other".*status="other"} 2$/);
  expect(metrics.folded).toBe(2);
});

test("an Ingress that is gone has no series any more, and makes room", () => {
  const gone = new Set<string>();
  const metrics = new RequestMetrics({ ...options, mostSeries: 1, serves: (_namespace, name) => !gone.has(name) });
  metrics.take(line("r", labels, 1));
  gone.add("web");
  expect(linesOf(metrics, "requests")).toEqual([]);
  metrics.take(line("r", labels.with(2, "new"), 1));
  expect(linesOf(metrics, "requests")).toEqual([expect.stringContaining('ingress="new"')]);
});

test("a path cannot leave its quotes, and without host there is no such label", () => {
  const metrics = new RequestMetrics({ ...options, perHost: false });
  metrics.take(line("r", labels.with(4, '/"} 1\n\\x'), 1));
  const [text = ""] = linesOf(metrics, "requests");
  expect(text).toContain('path="/\\"} 1\\n\\\\x"');
  expect(text).not.toContain("host=");
});

test("a scrape of 5,000 Ingresses is quick", () => {
  const metrics = new RequestMetrics({ ...options, mostSeries: 1_000_000 });
  for (let at = 0; at < 5_000; at++)
    metrics.take(line("h", ["a.example", "shop", `web-${at}`, "web"], [1, 1, 2, 1, 3, 1]));
  expect(metrics.exposition().split("\n").length).toBeGreaterThan(25_000);
});
