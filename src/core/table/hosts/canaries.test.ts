import { expect, test } from "vitest";
import { base, fake, ingress, put, type Sketch, service, slice } from "../../../../test/support/sketch.ts";
import { sentence } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defaultOptions } from "../options.ts";
import { Translator, translate } from "../translator.ts";
import { emptyInputs } from "../turn.ts";

const world = put(base, service("web"), service("api"), service("next"), slice("api", "192.0.2.7"));
const main = (more: Partial<Sketch> = {}) => ingress({ name: "main", host: "a.example", age: 9, ...more });
const canary = (annotations: Record<string, string>, more: Partial<Sketch> = {}) =>
  ingress({
    name: "canary",
    host: "a.example",
    paths: [["/", "api"]],
    ...more,
    annotations: { canary: "true", ...annotations },
  });

const of = (snapshot: Snapshot) => translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
const canariesOf = (snapshot: Snapshot, host = "a.example") =>
  of(snapshot)
    .configuration.servers.get(host)
    ?.locations.map(({ path, canaries }) => [path, canaries.map((one) => one.upstream)]);
const problemsOf = (snapshot: Snapshot) => [...of(snapshot).problems.values()].flat().map(sentence);

test("a canary is added to the Location with its host, path and type, and has an Upstream of its own", () => {
  const snapshot = put(world, main(), canary({ "canary-weight": "30", "canary-by-header": "X-Try" }));
  const { servers, upstreams } = of(snapshot).configuration;
  expect(servers.get("a.example")?.locations[0]?.canaries).toEqual([
    {
      upstream: "ns/api/80 for ns/web/80",
      policy: { header: "X-Try", headerValue: "", headerPattern: "", cookie: "", weight: 30, weightTotal: 100 },
    },
  ]);
  expect(upstreams.get("ns/api/80 for ns/web/80")).toMatchObject({
    label: "ns-api-80",
    endpoints: [{ address: "192.0.2.7", port: 8080 }],
  });
});

test("a canary counts for its own rule, not for every rule with the same Service (RS-13.2)", () => {
  const other = ingress({ name: "other", host: "b.example", age: 5 });
  const snapshot = put(
    world,
    main({
      paths: [
        ["/", "web"],
        ["/x", "web"],
      ],
    }),
    other,
    canary({ "canary-weight": "100" }),
  );
  expect(canariesOf(snapshot)).toEqual([
    ["/", ["ns/api/80 for ns/web/80"]],
    ["/x", []],
  ]);
  expect(canariesOf(snapshot, "b.example")).toEqual([["/", []]]);
});

test("a canary stays a canary where its Service is the main one of another Ingress, older or younger (RS-13.10)", () => {
  for (const age of [0, 20]) {
    const elsewhere = ingress({ name: "elsewhere", host: "b.example", paths: [["/", "api"]], age });
    const snapshot = put(world, main(), elsewhere, canary({ "canary-weight": "100" }, { age: 3 }));
    expect(canariesOf(snapshot)).toEqual([["/", ["ns/api/80 for ns/web/80"]]]);
    expect(of(snapshot).configuration.servers.get("b.example")?.locations[0]?.backends[0]?.upstream).toBe("ns/api/80");
  }
});

test("several canaries of one rule are in the order of their age", () => {
  const second = canary({}, { name: "older", paths: [["/", "next"]], age: 5 });
  expect(canariesOf(put(world, main(), canary({}), second))).toEqual([
    ["/", ["ns/next/80 for ns/web/80", "ns/api/80 for ns/web/80"]],
  ]);
});

test("a canary adds no host, path or TLS, and a Problem says when it gets no requests", () => {
  const tls = { tls: [{ secretName: "tls" }] };
  const snapshot = put(
    world,
    main(),
    canary(
      {},
      {
        paths: [
          ["/", "api"],
          ["/extra", "api"],
        ],
        spec: tls,
      },
    ),
    canary({}, { name: "alone", host: "b.example" }),
  );
  const { servers } = of(snapshot).configuration;
  expect([...servers.keys()].sort()).toEqual(["_", "a.example"]);
  expect(servers.get("a.example")).toMatchObject({ tlsConfigured: false, locations: [{ path: "/" }] });
  expect(problemsOf(snapshot).sort()).toEqual([
    "spec.rules[0].http.paths[0].backend: no ordinary Ingress has this host, path and path type; the canary gets no requests there",
    "spec.rules[0].http.paths[1].backend: no ordinary Ingress has this host, path and path type; the canary gets no requests there",
  ]);
});

test.each([
  ["the same Service and port", [["/", "web"]], "it names the Service and port that the path has already"],
  ["another path type", [["/", "api", "Exact"]], "no ordinary Ingress has this host, path and path type"],
  ["a Service that does not exist", [["/", "gone"]], "Service ns/gone not found"],
] as const)("a canary with %s has no effect, and a Problem says so", (_, paths, why) => {
  const field = "spec.rules[0].http.paths[0].backend";
  expect(problemsOf(put(world, main(), canary({}, { paths })))).toEqual([
    `${field}: ${why}; the canary gets no requests there`,
  ]);
});

test("the default backend of a canary takes its share of every path of rules without a host (RS-13.3)", () => {
  const paths = [
    ["/app", "web"],
    ["/two", "next"],
  ] as const;
  const spec = { ingressClassName: "nginx", defaultBackend: { service: { name: "api", port: { number: 80 } } } };
  const snapshot = put(world, ingress({ name: "main", paths }), canary({}, { spec: { ...spec, rules: [] } }));
  expect(canariesOf(snapshot, "_")).toEqual([
    ["/app", ["ns/api/80 for ns/web/80"]],
    ["/two", ["ns/api/80 for ns/next/80"]],
    ["/", []],
  ]);
});

test("a canary without canary: true is an ordinary Ingress with a Problem", () => {
  const snapshot = put(world, main({ annotations: { "canary-weight": "10" } }));
  expect(canariesOf(snapshot)).toEqual([["/", []]]);
  expect(problemsOf(snapshot)).toEqual([
    "annotation canary-weight has no effect: canary is not true, so this is an ordinary Ingress",
  ]);
});

test.each([
  ["sticky", "cookie"],
  ["legacy", "round_robin"],
])(
  "%s canary behaviour balances the canary by %s where clients are bound to the main Service",
  (behavior, algorithm) => {
    const affine = main({ annotations: { affinity: "cookie" } });
    const snapshot = put(world, affine, canary({ "affinity-canary-behavior": behavior, affinity: "cookie" }));
    expect(of(snapshot).configuration.upstreams.get("ns/api/80 for ns/web/80")?.balance.algorithm).toBe(algorithm);
  },
);

test("affinity that another host gives to the main Service reaches its canary in the same turn", () => {
  const translator = new Translator(defaultOptions, fake);
  const before = put(world, main(), canary({}));
  translator.turn({ ...emptyInputs, snapshot: before });
  const bringer = ingress({ name: "bringer", host: "b.example", annotations: { affinity: "cookie" } });
  const { configuration } = translator.turn({ ...emptyInputs, snapshot: put(before, bringer) });
  expect(configuration.upstreams.get("ns/api/80 for ns/web/80")?.balance.algorithm).toBe("cookie");
});

test("a canary's annotation that differs from its Ingress's and has no effect is a Problem", () => {
  const alike = { "proxy-read-timeout": "7" };
  const expected = {
    "auth-type": "basic",
    "auth-secret": "gone",
    "canary-weight": "5",
    "load-balance": "ewma",
    "proxy-red-timeout": "7",
  };
  const snapshot = put(world, main({ annotations: alike }), canary({ ...alike, ...expected }));
  const why = "this is a canary, and a request that it takes has the settings of Ingress ns/main";
  expect(problemsOf(snapshot)).toEqual([
    expect.stringContaining("proxy-red-timeout does not exist"),
    `annotation auth-type has no effect: ${why}`,
    `annotation auth-secret has no effect: ${why}`,
  ]);
});
