import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service, slice } from "../../../../test/support/sketch.ts";
import type { Ingress, Service } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { Table } from "../../model/table.ts";
import { defaultOptions } from "../options.ts";
import { translate } from "../translator.ts";
import { emptyInputs } from "../turn.ts";

const options = { ...defaultOptions, configMap: "ingress-nginx/settings" };
const withClusterIP = { ...service("web"), spec: { ports: [{ port: 80 }], clusterIP: "192.0.2.99" } };
const world = put(base, withClusterIP, slice("web", "192.0.2.1"));
const of = (snapshot: typeof world) => translate({ ...emptyInputs, snapshot }, options, fake);
const upstreamOf = (...ingresses: Ingress[]) => of(put(world, ...ingresses)).configuration.upstreams.get("ns/web/80");
const one = (annotations: Record<string, string>, age = 0, host = `h${age}.example`) =>
  ingress({ name: `i${age}`, host, age, annotations });

test.each([
  [{}, { algorithm: "round_robin" }],
  [{ "load-balance": "ewma" }, { algorithm: "ewma" }],
  [{ "load-balance": "chash" }, { algorithm: "round_robin" }],
  [
    { "upstream-hash-by": "$host", "load-balance": "ewma" },
    { algorithm: "hash", by: "$host", subset: 0 },
  ],
  [
    { "upstream-hash-by": "$host", "upstream-hash-by-subset": "true", "upstream-hash-by-subset-size": "0" },
    { algorithm: "hash", by: "$host", subset: 3 },
  ],
  [
    { "upstream-hash-by": "$host", "upstream-hash-by-subset-size": "5" },
    { algorithm: "hash", by: "$host", subset: 0 },
  ],
  [
    { affinity: "cookie", "upstream-hash-by": "$host" },
    { algorithm: "cookie", cookie: { mode: "balanced" } },
  ],
  [{ affinity: "client-ip" }, { algorithm: "round_robin" }],
])("an Ingress with %j is balanced by %j (RS-9.8)", (annotations, balance) => {
  expect(upstreamOf(one(annotations))?.balance).toMatchObject(balance);
});

test("the oldest user of a Service and port decides how it is balanced and whether its own address is used", () => {
  const young = one({ "load-balance": "ewma", "service-upstream": "true" });
  expect(upstreamOf(young)).toMatchObject({ balance: { algorithm: "ewma" }, endpoints: [{ address: "192.0.2.99" }] });
  expect(upstreamOf(young, one({}, 5))).toMatchObject({
    balance: { algorithm: "round_robin" },
    endpoints: [{ address: "192.0.2.1" }],
  });
});

test("a default backend decides last about the Service and port that it names", () => {
  const backing = ingress({
    name: "backing",
    annotations: { "load-balance": "ewma" },
    spec: { rules: [], ingressClassName: "nginx", defaultBackend: { service: { name: "web", port: { number: 80 } } } },
  });
  expect(upstreamOf(backing, one({}, 5))?.balance).toEqual({ algorithm: "ewma" });
});

test("with affinity the cookie is that of the youngest Ingress, and the mode that of the oldest one that sets it (RS-14.3)", () => {
  const oldest = one({ affinity: "cookie", "session-cookie-name": "first", "session-cookie-max-age": "10" }, 9);
  const middle = one({ affinity: "cookie", "affinity-mode": "persistent", "session-cookie-name": "second" }, 5);
  const youngest = one({ "affinity-mode": "balanced" });
  expect(upstreamOf(youngest, middle, oldest)?.balance).toEqual({
    algorithm: "cookie",
    cookie: {
      name: "second",
      mode: "persistent",
      path: "",
      domain: "",
      expires: undefined,
      maxAge: undefined,
      sameSite: undefined,
      conditionalSameSiteNone: false,
      secure: false,
      changeOnFailure: false,
    },
  });
});

test("the ConfigMap's load-balance counts where no annotation sets it", () => {
  const settings = configMap("ingress-nginx/settings", { "load-balance": "ewma", "service-upstream": "true" });
  const { upstreams } = of(put(world, settings, one({}))).configuration;
  expect(upstreams.get("ns/web/80")).toMatchObject({
    balance: { algorithm: "ewma" },
    endpoints: [{ address: "192.0.2.99" }],
  });
});

test.each([
  [
    { "load-balance": "chash" },
    "annotation load-balance has no effect: chash is chosen by upstream-hash-by; without it Endpoints are asked in turn",
  ],
  [
    { "load-balance": "fastest" },
    'annotation load-balance: "fastest" is not one of round_robin, ewma, chash, chashsubset, sticky_balanced, sticky_persistent; the Ingress is not applied',
  ],
  [
    { "upstream-hash-by": "a,b" },
    'annotation upstream-hash-by: "a,b" holds ","; allowed are letters, digits, blanks and - _ $ { }; the Ingress is not applied',
  ],
  [
    { "upstream-hash-by-subset": "true" },
    "annotation upstream-hash-by-subset has no effect: upstream-hash-by is not set",
  ],
  [
    { affinity: "cookie", "session-cookie-samesite": "lax" },
    'annotation session-cookie-samesite: "lax" is not one of None, Lax, Strict; the default is used',
  ],
])("the balancing annotations %j cause a Problem", (annotations, expected) => {
  const problems = [...of(put(world, one(annotations))).problems.values()].flat();
  expect(problems.map(sentence)).toEqual([expected]);
});

test("affinity on paths with regular expressions needs a path for its cookie", () => {
  const policyOf = (more: Record<string, string>) =>
    [...of(put(world, one({ affinity: "cookie", "use-regex": "true", ...more }))).problems.values()]
      .flat()
      .map(sentence);
  expect(policyOf({})).toEqual([
    "spec.rules[0].http.paths[0].path: a regular expression is no Path for the affinity cookie; clients may not send it back; set session-cookie-path",
  ]);
  expect(policyOf({ "session-cookie-path": "/" })).toEqual([]);
});

test("an ExternalName without a usable address is a Problem of the Ingress that decides about its Upstream", () => {
  const spec = { type: "ExternalName", externalName: "far.example", ports: [{ port: 80 }] };
  const external = {
    ...put(world, { ...service("web"), spec } as Service, one({})),
    addresses: Table.from([["far.example", []] as const]),
  };
  const { problems, configuration } = of(external);
  expect([...problems.values()].flat()).toMatchObject([
    {
      object: { kind: "Ingress", name: "i0" },
      field: "Service ns/web",
      why: "externalName far.example has no address",
    },
  ]);
  expect(configuration.upstreams.get("ns/web/80")?.endpoints).toEqual([]);
});

test("an upstream-hash-by that an older user of the Service overrules is reported", () => {
  const found = (...ingresses: Ingress[]) => [...of(put(world, ...ingresses)).problems.values()].flat().map(sentence);
  expect(found(one({ "upstream-hash-by": "$host" }), one({ "upstream-hash-by": "$request_uri" }, 5))).toEqual([
    "annotation upstream-hash-by has no effect: Ingress ns/i5, which uses Service ns/web too, decides how its endpoints are chosen",
  ]);
  expect(found(one({ "upstream-hash-by": "$host" }), one({}, 5))).toHaveLength(1);
  expect(found(one({ "upstream-hash-by": "$host" }), one({ "upstream-hash-by": "$host" }, 5))).toEqual([]);
  expect(found(one({}), one({ "upstream-hash-by": "$host" }, 5))).toEqual([]);
  expect(found(one({ "upstream-hash-by": "$host" }), one({ affinity: "cookie" }, 5))).toEqual([]);
});
