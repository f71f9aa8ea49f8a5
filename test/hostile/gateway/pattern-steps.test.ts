/**
 * Patterns in routes together with texts of clients that keep a worker busy, as in
 * requests/pattern-steps.test.ts. A request whose route a pattern would decide is refused when the
 * budget is spent.
 */
import { beforeEach, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, grpcRoute, namespace, route, routeSettings } from "../../support/gateways.ts";
import { mostSteps } from "../support/budget.ts";
import { ports, worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--shared-gateway=ns/gw", "--gateway-addresses=192.0.2.76"] });
const a = (length: number) => "a".repeat(length);
const [host, type] = ["a.example", "RegularExpression"];
const web = [{ name: "web", port: 80 }];

beforeEach(() => world.apply(gatewayClass(), namespace("ns"), gateway({})));
const rest = route({ name: "rest", hostnames: [host] });

const slow = [
  "(a|a){17}[b-c]",
  "(a+)+[b-c]",
  `${"(?:a*+[bc]|)".repeat(40)}z`,
  `(a{900})${"(?!\\1[bc])".repeat(60)}(a|a){17}[b-c]`,
  `${"(?:\\X*+[bc]|)".repeat(40)}z`,
];
const places: readonly (readonly [what: string, match: (value: string) => object, target: string, headers: object])[] =
  [
    ["a path", (value) => ({ path: { type, value: `/${value}` } }), `/${a(7_900)}`, {}],
    ["a header", (value) => ({ headers: [{ type, name: "x-a", value }] }), "/", { "x-a": a(7_900) }],
    ["a query parameter", (value) => ({ queryParams: [{ type, name: "q", value }] }), `/?q=${a(7_900)}`, {}],
  ];

test.each(
  places.flatMap(([what, ...more]) => slow.map((pattern) => [what, pattern.slice(0, 30), pattern, ...more] as const)),
)("%s costs no more than its budget: %s", async (what, _name, pattern, match, target, headers) => {
  const matches = [match(pattern), ...Array.from({ length: 40 }, (_, at) => match(`${pattern}${at}`))];
  await world.apply(
    route({ name: "slow", hostnames: [host], rules: [{ backendRefs: web, matches }] }),
    ...(what === "a path" ? [] : [rest]),
  );
  const sent = headers as Record<string, string>;
  expect(await world.stepsOf(host, target, { headers: sent })).toBeLessThan(mostSteps);
  const { status } = await world.ask(host, target, { headers: sent });
  expect([200, 404, 500]).toContain(status);
  expect((await world.ask("neighbour.example")).status).toBe(200);
});

test("the method of a call costs no more than its budget", async () => {
  const matches = slow.map((pattern) => ({ method: { type, service: pattern, method: pattern } }));
  await world.apply(grpcRoute({ name: "calls", hostnames: [host], rules: [{ backendRefs: web, matches }] }));
  const headers = { "content-type": "application/grpc" };
  expect(await world.stepsOf(host, `/${a(3_900)}/${a(3_900)}`, { headers })).toBeLessThan(mostSteps);
  expect([200, 404, 500]).toContain((await world.ask(host, `/${a(3_900)}/${a(3_900)}`, { headers })).status);
});

test("thousands of conditions and headers together keep the budget", async () => {
  const matches = (from: number) =>
    Array.from({ length: 64 }, (_, at) => ({
      headers: Array.from({ length: 16 }, (_, one) => ({ name: `x_${from + at}_${one}`, value: "no" })),
    }));
  const routes = Array.from({ length: 8 }, (_, at) =>
    route({ name: `crowd${at}`, hostnames: [host], rules: [{ backendRefs: web, matches: matches(64 * at) }] }),
  );
  await world.apply(rest, ...routes);
  const headers = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`y-${at}`, "1"]));
  expect(await world.stepsOf(host, "/", { headers })).toBeLessThan(mostSteps);
  expect((await world.ask(host, "/", { headers })).status).toBe(200);
});

test("the origin of a request costs no more than its budget", async () => {
  const cors = { type: "CORS", cors: { allowOrigins: ["https://*.a.example"] } };
  await world.apply(route({ name: "cors", hostnames: [host], rules: [{ backendRefs: web, filters: [cors] }] }));
  const origin = async (text: string) => {
    const { headers, status } = await world.ask(host, "/", { headers: { origin: text } });
    return [status, headers["access-control-allow-origin"]];
  };
  expect(await origin("https://x.a.example")).toEqual([200, "https://x.a.example"]);
  expect(await origin(`https://${"a.".repeat(3_900)}a`)).toEqual([200, undefined]);
});

test("a rewrite whose pattern is matched once more keeps the budget", async () => {
  await world.apply(
    route({
      name: "slow",
      hostnames: [host],
      rules: [{ backendRefs: web, matches: [{ path: { type, value: "/(a|a)*x(.*)" } }] }],
    }),
    routeSettings({ name: "rewrites", values: { "rewrite-target": "/$2" }, to: [["HTTPRoute", "slow"]] }),
  );
  world.backend.forget();
  expect((await request({ to: `192.0.2.1:${ports.http}`, host, path: "/aaax/y" })).status).toBe(200);
  expect(world.backend.asked.map(({ url }) => url)).toEqual(["//y"]);
  expect(await world.stepsOf(host, `/${a(7_900)}`)).toBeLessThan(mostSteps);
});
