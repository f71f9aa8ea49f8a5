/**
 * Tries to block the controller's event loop by routes in shadow. For its metrics, and when a route
 * leaves the shadow, the controller compares the answers of these routes with the present ones. In
 * doing so it applies patterns that tenants have written.
 */
import { expect, onTestFinished, test, vi } from "vitest";
import { startBothApis } from "../../nginx/support/both-apis.ts";
import { gatewayClass, serving, toWeb, webAt } from "../../nginx/support/serve.ts";
import { until } from "../../nginx/support/until.ts";
import { route as routeOf } from "../../support/gateways.ts";
import { ingress } from "../../support/ingress.ts";

vi.setConfig({ testTimeout: 240_000 });

const gateway = `${gatewayClass}---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gw, namespace: shop }
spec: { gatewayClassName: sluice, listeners: [{ name: http, port: 80, protocol: HTTP }] }
`;

const count = 100;
const matches = Array.from({ length: count }, (_, at) => `{ path: { value: /s${at} } }`);
/** A rule has at most 64 matches. */
const rules = [matches.slice(0, 50), matches.slice(50)].map(
  (some) => `{ matches: [${some.join(", ")}], backendRefs: [{ name: web, port: 80 }] }`,
);
const route = (shadow: boolean) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: shadow, namespace: shop, annotations: { sluice.dev/shadow: "${shadow}" } }
spec: { parentRefs: [{ name: gw }], hostnames: [slow.example], rules: [${rules.join(", ")}] }
`;

test("patterns that run without end stop neither the metrics nor other work", async () => {
  const regex = 'nginx.ingress.kubernetes.io/use-regex: "true"';
  const slow = toWeb({ name: "slow", host: "slow.example", path: '"/s[0-9]+/(a+)+b"', annotations: regex });
  const one = await serving({
    files: {
      "gateway.yaml": gateway,
      "slow.yaml": slow.replace("Prefix", "ImplementationSpecific"),
      "route.yaml": route(true),
      "backends.yaml": webAt(21_931),
    },
    flags: ["--enable-metrics=true"],
  });
  onTestFinished(one.remove);
  /** With a second for each of them this would take minutes. */
  const soon = async (what: string, done: () => Promise<unknown>) => {
    const begun = performance.now();
    await done();
    expect(performance.now() - begun, what).toBeLessThan(60_000);
  };
  for (let at = 0; at < count; at++) await one.ask("slow.example", `/s${at}/${"a".repeat(60)}!`);
  const shadows = async () => JSON.parse((await one.health("/ui/api/v1/shadow")).body);
  await soon("the page", () => until("all counts", async () => (await shadows()).requests === count));
  const { rows } = await shadows();
  expect(rows[0].differences).toMatchObject([{ kind: "unclear" }]);
  await soon("the metrics", async () => {
    const { status, body } = await one.health("/metrics");
    expect([status, body.includes('host="slow.example"')]).toEqual([200, true]);
  });
  one.write("route.yaml", route(false));
  await soon("the end of the shadow", () =>
    until("what was in shadow", async () =>
      (await shadows()).rows.some(({ until }: { until: unknown }) => until !== null),
    ),
  );
  expect(await one.health()).toMatchObject({ status: 200, body: "ok" });
});

test("slow patterns of a route in shadow do not change who gets the request", async () => {
  const it = await startBothApis(18_910);
  const annotated = <T extends { readonly metadata: object }>(
    one: T,
    annotations: Readonly<Record<string, string>>,
  ) => ({
    ...one,
    metadata: { ...one.metadata, annotations },
  });
  const own = routeOf({
    hostnames: ["a.test"],
    rules: [{ matches: [{ path: { value: "/cart" } }], backendRefs: [{ name: "s2", port: 80 }] }],
  });
  /** Each takes some 65,000 steps of PCRE for the header below, and none matches it. */
  const slowOnes = Array.from({ length: 128 }, (_, at) => ({
    path: { value: "/cart/x" },
    headers: [{ type: "RegularExpression", name: "x-slow", value: `(a+)+(?:${at})?` }],
  }));
  const rules = [slowOnes.slice(0, 64), slowOnes.slice(64)].map((some) => ({
    matches: some,
    backendRefs: [{ name: "s3", port: 80 }],
  }));
  const hidden = routeOf({ name: "hidden", namespace: "other", hostnames: ["a.test"], rules });
  // nginx looks at the clock before each eighth pattern.
  const others = Array.from({ length: 20 }, (_, at) => [`/other-path-${at}`, "s1", "ImplementationSpecific"] as const);
  await it.serve(
    ingress({
      ...{ name: "web", host: "a.test", annotations: { "use-regex": "true" } },
      paths: [...others, ["/", "s1", "ImplementationSpecific"]],
    }),
    annotated(own, { "sluice.dev/weight": "0" }),
    annotated(hidden, { "sluice.dev/shadow": "true" }),
  );
  const asked = (value: string) => it.answer("a.test", "/cart/x/1", { "x-slow": value });
  expect(await asked("quick"), "the Ingress keeps all requests").toBe("s1");
  expect(await asked(`${"a".repeat(16)}!`)).toBe("s1");
});
