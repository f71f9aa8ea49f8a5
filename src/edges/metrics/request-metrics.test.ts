import { expect, test } from "vitest";
import { Failures } from "../failures.ts";
import { type CountedSums, RequestMetrics, type RequestMetricsOptions } from "./request-metrics.ts";

const options: RequestMetricsOptions = {
  labels: { controller_pod: "p" },
  perHost: true,
  full: false,
  buckets: { time: [0.1, 1], part: [0.5], length: [10], size: [10] },
  exclude: ["response_size", "nginx_ingress_controller_bytes_sent"],
  serves: () => true,
  servesRoute: () => true,
  failures: new Failures(() => 0),
};
const labels = ["a.example", "shop", "web", "web", "/", "", "GET", "200"];
const line = ([host, namespace, ingress, service, path, ...rest]: readonly string[], sums: readonly number[]) =>
  `${[sums.join(" "), host, ...rest, namespace, ingress, service, path].join("\t")}\n`;
const linesOf = (metrics: RequestMetrics, name: string) =>
  metrics
    .exposition()
    .split("\n")
    .filter((one) => one.startsWith(`nginx_ingress_controller_${name}`));

/**
 * Returns the line that a worker hands over for `times` requests that took `seconds` together, in
 * the first bucket. `others` are sums of other histograms.
 */
const requests = (whose: readonly string[], times: number, seconds = 0, others: readonly number[] = []) =>
  line(whose, [1, seconds, 2, times, 3, times, ...others]);
const own = 'controller_pod="p",host="a.example",namespace="shop",ingress="web",service="web"';

test("figures of several workers are added, with the labels that ingress-nginx has", () => {
  const metrics = new RequestMetrics(options);
  metrics.take(requests(labels, 3) + requests(labels, 2));
  metrics.take(requests(labels, 1));
  expect(linesOf(metrics, "requests")).toEqual([
    `nginx_ingress_controller_requests{${own},path="/",canary="",method="GET",status="200"} 6`,
  ]);
});

test("buckets are cumulative, and a value above the last one counts in +Inf alone", () => {
  const metrics = new RequestMetrics(options);
  // request_duration_seconds has the indices 1 to 4: sum, count, up to 0.1, up to 1.
  metrics.take(line(labels, [1, 5.5, 2, 4, 3, 1, 4, 2]));
  const text = `${own},status="2xx"`;
  expect(linesOf(metrics, "request_duration")).toEqual([
    `nginx_ingress_controller_request_duration_seconds_bucket{${text},le="0.1"} 1`,
    `nginx_ingress_controller_request_duration_seconds_bucket{${text},le="1"} 3`,
    `nginx_ingress_controller_request_duration_seconds_bucket{${text},le="+Inf"} 4`,
    `nginx_ingress_controller_request_duration_seconds_sum{${text}} 5.5`,
    `nginx_ingress_controller_request_duration_seconds_count{${text}} 4`,
  ]);
  expect(linesOf(metrics, "response_duration")).toEqual([]);
});

test("a follower gets the requests that are counted while it follows, with the buckets of durations apart", () => {
  const metrics = new RequestMetrics(options);
  const followed: CountedSums[] = [];
  metrics.take(requests(labels, 9));
  const stop = metrics.follow((sums) => followed.push(sums));
  metrics.take(line(labels.with(7, "502"), [1, 5.5, 2, 4, 3, 1, 4, 2, 5, 7, 6, 4, 7, 4]));
  metrics.take(
    line(["b.example", "shop", "", "web", "/x\tgw\twebs\tshop/route\trule", "", "GET", "200"], [2, 1, 1, 3]),
  );
  stop();
  metrics.take(requests(labels, 9));
  expect(followed).toEqual([
    { host: "a.example", owner: "shop/web", path: "/", status: "502", count: 4, buckets: [1, 2] },
    { host: "b.example", owner: "shop/route", path: "/x", status: "200", count: 1, buckets: [0, 0] },
  ]);
});

test("durations of a request have one series for each class of status, or for all labels on request", () => {
  const taken = requests(labels, 3) + requests(labels.with(7, "404"), 1) + requests(labels.with(7, "400"), 1);
  const [few, full] = [new RequestMetrics(options), new RequestMetrics({ ...options, full: true })];
  for (const metrics of [few, full]) metrics.take(taken);
  const counts = (metrics: RequestMetrics) =>
    linesOf(metrics, "request_duration_seconds_count").map((one) =>
      /status="(\w+)"} (\d+)/.exec(one)!.slice(1).join(" "),
    );
  expect(counts(few)).toEqual(["2xx 3", "4xx 2"]);
  expect(counts(full)).toEqual(["200 3", "404 1", "400 1"]);
});

test("excluded metrics are left out, and the positions of the others stay", () => {
  const metrics = new RequestMetrics(options);
  // 15 to 17 belong to request_size, 18 to 20 to response_size.
  metrics.take(requests(labels, 1, 0, [15, 7, 16, 1, 17, 1, 18, 9, 19, 1]));
  expect(linesOf(metrics, "request_size_sum")).toEqual([expect.stringMatching(/ 7$/)]);
  expect(metrics.exposition()).not.toMatch(/response_size|bytes_sent/);
});

test("above the ceiling requests count under the label other, none are lost, and it is reported once", () => {
  let counted = 0;
  const ceilingReached = (most: number) => {
    counted += most;
  };
  const metrics = new RequestMetrics({ ...options, mostSeries: 100, ceilingReached });
  // The metrics that are not excluded have 5, 5, 4, 4 and 4 lines. Lines for `other` are reserved,
  // and 95 lines are for histograms.
  for (let at = 0; at < 20; at++) {
    const whose = labels.with(2, `web-${at}`);
    metrics.take(requests(whose, 2, 0, [5, 1, 6, 2, 7, 2]));
  }
  const sum = (name: string) => linesOf(metrics, name).reduce((total, one) => total + Number(one.split(" ").at(-1)), 0);
  expect(
    metrics
      .exposition()
      .split("\n")
      .filter((one) => !one.startsWith("#") && one !== "").length,
  ).toBeLessThanOrEqual(100);
  expect(linesOf(metrics, "request_duration_seconds_count").at(-1)).toMatch(/ingress="other",.*status="other"} \d/);
  expect([sum("requests"), sum("request_duration_seconds_count"), sum("response_duration_seconds_count")]).toEqual([
    40, 40, 40,
  ]);
  expect(linesOf(metrics, "requests").length).toBeGreaterThan(
    linesOf(metrics, "request_duration_seconds_count").length,
  );
  for (let at = 20; at < 60; at++) metrics.take(requests(labels.with(2, `web-${at}`), 2));
  expect(sum("requests")).toBe(120);
  expect(metrics.folded).toBe(
    Number(
      linesOf(metrics, "requests")
        .find((one) => one.includes('"other"'))!
        .split(" ")
        .at(-1),
    ),
  );
  expect(counted).toBe(100);
});

test("a namespace with very many series makes room for those of others", () => {
  const metrics = new RequestMetrics({ ...options, mostSeries: 300 });
  for (let at = 0; at < 200; at++) metrics.take(requests(labels.with(1, "evil").with(4, `/${at}`), 1));
  for (let at = 0; at < 3; at++) metrics.take(requests(labels.with(1, "victim").with(4, `/${at}`), 1));
  const ofVictim = (name: string) => linesOf(metrics, name).filter((line) => line.includes('namespace="victim"'));
  expect(ofVictim("requests")).toHaveLength(3);
  expect(ofVictim("request_duration_seconds_count").length).toBeGreaterThan(0);
  const seen = linesOf(metrics, "requests").filter((line) => line.includes('namespace="evil"')).length;
  expect(seen).toBeGreaterThan(5);
  // The namespace with the most series gets no further ones, and evicts none.
  for (let at = 200; at < 400; at++) metrics.take(requests(labels.with(1, "evil").with(4, `/${at}`), 1));
  expect(ofVictim("requests")).toHaveLength(3);
  const all = metrics.exposition().split("\n");
  expect(all.filter((one) => !one.startsWith("#") && one !== "").length).toBeLessThanOrEqual(300);
});

test("an Ingress that is removed has no series any more, and makes room for others", () => {
  const gone = new Set<string>();
  const metrics = new RequestMetrics({ ...options, mostSeries: 30, serves: (_namespace, name) => !gone.has(name) });
  for (let at = 0; at < 30; at++) metrics.take(requests(labels.with(2, `old-${at}`), 1));
  metrics.take(requests(labels, 1));
  expect(linesOf(metrics, "requests").join()).not.toContain('ingress="web"');
  for (let at = 0; at < 30; at++) gone.add(`old-${at}`);
  expect(linesOf(metrics, "requests")).toEqual([expect.stringContaining('ingress="other"')]);
  metrics.take(requests(labels, 1));
  expect(linesOf(metrics, "requests").at(-1)).toContain('ingress="web"');
});

test("a path cannot end its quotes, and without a host there is no label for it", () => {
  const metrics = new RequestMetrics({ ...options, perHost: false });
  metrics.take(requests(labels.with(4, '/"} 1\t\\x'), 1));
  const [text = ""] = linesOf(metrics, "requests");
  expect(text).toContain('path="/\\"} 1\t\\\\x"');
  expect(text).not.toContain("host=");
});

const ofRoute = ["shop/public", "web", "shop/tea", "prices"];
const routed = (path: string) => ["a.example", "shop", "", "prices", [path, ...ofRoute].join("\t"), "", "GET", "200"];
const words = 'gateway="shop/public",listener="web",route="shop/tea",rule="prices"';

test("requests of routes have the same metric names, and labels with the route that took them", () => {
  const metrics = new RequestMetrics(options);
  metrics.take(requests(routed("/tea"), 2) + requests(labels, 1));
  const ofBackend = 'controller_pod="p",host="a.example",namespace="shop",ingress="",service="prices"';
  expect(linesOf(metrics, "requests")).toEqual([
    `nginx_ingress_controller_requests{${ofBackend},path="/tea",canary="",method="GET",status="200",${words}} 2`,
    `nginx_ingress_controller_requests{${own},path="/",canary="",method="GET",status="200"} 1`,
  ]);
  expect(linesOf(metrics, "request_duration_seconds_count")).toEqual([
    `nginx_ingress_controller_request_duration_seconds_count{${ofBackend},${words},status="2xx"} 2`,
    `nginx_ingress_controller_request_duration_seconds_count{${own},status="2xx"} 1`,
  ]);
});

test("tabs in the path of an Ingress are not read as separators of labels", () => {
  const metrics = new RequestMetrics(options);
  metrics.take(requests(labels.with(4, "/a\tb\tc\td\te"), 1));
  expect(linesOf(metrics, "requests")[0]).not.toContain("gateway");
});

test("series of a route that is removed are dropped", () => {
  let served = true;
  const metrics = new RequestMetrics({
    ...options,
    servesRoute: (route) => served && route === "shop/tea",
  });
  metrics.take(requests(routed("/tea"), 2));
  expect(linesOf(metrics, "requests")).toHaveLength(1);
  served = false;
  expect(linesOf(metrics, "requests")).toEqual([]);
});
