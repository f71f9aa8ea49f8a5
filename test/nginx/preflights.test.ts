/**
 * Preflights of browsers at routes with conditions: the rule that would take the announced request
 * answers, if it has CORS. nginx and the matcher must agree.
 */
import { expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Question } from "../support/decided.ts";
import {
  bySettings,
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  namespace,
  route,
  routeSettings,
} from "../support/gateways.ts";
import { ingress, ingressClass } from "../support/ingress.ts";
import { pairOf } from "../support/named-pair.ts";
import { startWorlds } from "./support/worlds.ts";

const origin = "https://page.example";
const cors = { type: "CORS", cors: { allowOrigins: [origin], allowMethods: ["GET", "PUT"], allowHeaders: ["X-Kind"] } };

interface Match {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

const pairsOf = (values: Match["headers"] = {}) => Object.entries(values).map(([name, value]) => ({ name, value }));

/** A rule of an HTTPRoute, which sends requests to `to`. */
function rule(to: string, { path = "/", method, headers, query }: Match, ...filters: readonly object[]): object {
  const match = {
    path: { type: "PathPrefix", value: path },
    ...(method === undefined ? {} : { method }),
    ...{ headers: pairsOf(headers), queryParams: pairsOf(query) },
  };
  return { matches: [match], filters, backendRefs: [{ name: to, port: 80 }] };
}

const pair = pairOf("calls.test", ["calls.test"]);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const secret = {
  ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: { name: "pair", namespace: "ns" } },
  data: { "tls.crt": base64(pair.certificate), "tls.key": base64(pair.key) },
} as KubernetesObject;
const secured = listener({
  ...{ name: "https", port: 443, protocol: "HTTPS", hostname: "calls.test" },
  tls: { certificateRefs: [{ name: "pair" }] },
});

/** Calls of gRPC come over TLS. */
const world: readonly KubernetesObject[] = [
  gatewayClass(),
  ingressClass as KubernetesObject,
  namespace("ns"),
  gateway({ listeners: [listener({}), secured] }),
  secret,
  routeSettings({ values: { "enable-cors": "true", "cors-allow-origin": origin } }),
  route({
    hostnames: ["a.test"],
    rules: [
      rule("a", { method: "GET" }, cors),
      rule("b", { method: "PUT" }),
      rule("b", { method: "OPTIONS", path: "/own" }),
      rule("a", { method: "GET", path: "/own" }),
      rule("a", { headers: { "x-kind": "new" }, path: "/kinds" }, cors),
      rule("b", { path: "/kinds" }),
      rule("a", { headers: { "x-kind": "new" }, path: "/only" }, cors),
      rule("a", { headers: { cookie: "team=a" }, path: "/cookie" }, cors),
      rule("a", { headers: { origin }, path: "/origin" }, cors),
      rule("a", { query: { v: "2" }, path: "/query" }, cors),
      rule("a", { method: "POST", path: "/settings" }, bySettings()),
    ],
  }),
  grpcRoute({
    hostnames: ["calls.test"],
    rules: [
      {
        matches: [{ method: { service: "shop.Cart", method: "Add" } }],
        filters: [bySettings()],
        backendRefs: [{ name: "calls", port: 80 }],
      },
    ],
  } as never),
  route({ name: "beside", hostnames: ["both.test"], rules: [rule("a", { headers: { "x-kind": "new" } }, cors)] }),
  ingress({ name: "both", host: "both.test", paths: [["/", "b"]], metadata: { creationTimestamp: "2026-01-01" } }),
];

const preflight = (method: string, headers?: string) => ({
  origin,
  "access-control-request-method": method,
  ...(headers === undefined ? {} : { "access-control-request-headers": headers }),
});

const preflights: readonly (readonly [label: string, url: string, headers: Question["headers"], answer: string])[] = [
  ["the rule with the announced method", "a.test/", preflight("GET"), "204"],
  ["a rule without CORS sends it on as it is, and no rule takes OPTIONS", "a.test/", preflight("PUT"), "404"],
  ["a method without a rule", "a.test/", preflight("DELETE"), "404"],
  ["OPTIONS that is no preflight", "a.test/", { origin }, "404"],
  ["a rule for OPTIONS, if that of the announced request has no CORS", "a.test/own", preflight("GET"), "ns/b /own"],
  ["a header that is announced", "a.test/kinds", preflight("GET", "authorization, X-Kind"), "204"],
  ["a header that is not announced", "a.test/kinds", preflight("PATCH"), "ns/b /kinds"],
  ["a header that is not announced, if no other rule would take the request", "a.test/only", preflight("PATCH"), "204"],
  ["a cookie, which is never announced", "a.test/cookie", preflight("PATCH", "x-other"), "204"],
  ["a header that a preflight has, too", "a.test/origin", preflight("PATCH"), "204"],
  [
    "such a header with another value",
    "a.test/origin",
    { ...preflight("PATCH"), origin: "https://other.example" },
    "404",
  ],
  ["a query", "a.test/query?v=2", preflight("PATCH"), "204"],
  ["another query", "a.test/query?v=1", preflight("PATCH"), "404"],
  ["CORS of RouteSettings", "a.test/settings", preflight("POST"), "204"],
  ["a call from a page", "calls.test/shop.Cart/Add", preflight("POST", "content-type,x-grpc-web"), "204"],
  ["another method of the service", "calls.test/shop.Cart/Remove", preflight("POST", "content-type"), "404"],
  ["an Ingress that would take the request", "both.test/", preflight("PATCH"), "ns/b /"],
  ["a route beside the Ingress", "both.test/", preflight("PATCH", "x-kind"), "204"],
];

test("the rule that would take the request announced by a preflight answers it, if it has CORS", async () => {
  const it = await startWorlds(18_980);
  await it.serve({ objects: world, services: ["ns/a", "ns/b", "ns/calls"] });
  const found: unknown[] = [];
  for (const [label, url, headers] of preflights) {
    const [, host = "", target = ""] = /^([^/]*)(.*)$/.exec(url)!;
    const question: Question = {
      scheme: host === "calls.test" ? "https" : "http",
      host,
      target,
      method: "OPTIONS",
      headers,
    };
    const { text, headers: answered } = await it.ask(question);
    found.push([label, text, it.decide(question).answers.join()]);
    if (text === "204") expect(answered, label).toMatchObject({ "access-control-allow-origin": origin });
  }
  expect(found).toEqual(preflights.map(([label, , , answer]) => [label, answer, answer]));
});
