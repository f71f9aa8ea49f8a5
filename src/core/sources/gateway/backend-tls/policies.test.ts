/** BackendTLSPolicies: which one governs a backend, its effect there, and its conditions. */
import { expect, test } from "vitest";
import {
  authorities,
  backendTLSPolicy,
  gateway,
  gatewayClass,
  grant,
  listener,
  namespace,
  pooled,
  route,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../../certificates/fake.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot, withObjects } from "../../../model/snapshot.ts";
import { Translator, translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";
import type { Capability } from "../../../tokens/capabilities.ts";

const { chain } = await fakeCertificate(new Date("2026-01-01"));
const options = pooled;
const world = put(
  emptySnapshot,
  gatewayClass(),
  namespace("ns"),
  serviceIn("ns", "web", { name: "http" }),
  authorities("ca", chain),
  gateway({}),
  route({}),
);

function outcome(objects: readonly KubernetesObject[], more: Partial<typeof options> = {}) {
  const inputs = { ...emptyInputs, snapshot: put(world, ...objects) };
  const { configuration, statuses, problems } = translate(inputs, { ...options, ...more }, fake);
  const statusOf = (name: string) => {
    const status = statuses.get(`BackendTLSPolicy ns/${name}`);
    return status?.kind === "policy" ? status.ancestors : undefined;
  };
  return {
    backends: configuration.servers.get("ns/gw/http _")?.locations[0]?.backends,
    mirrors: configuration.servers.get("ns/gw/http _")?.locations[0]?.filters?.mirrors,
    sentences: [...problems.values()].flat().map(sentence),
    gateways: (name = "policy") => statusOf(name)?.map(({ ancestorRef }) => ancestorRef.name),
    policy: (name = "policy") =>
      statusOf(name)?.map(({ conditions }) =>
        Object.fromEntries(conditions.map(({ type, status, reason }) => [type, status === "True" ? true : reason])),
      )[0],
    route: statuses.get("HTTPRoute ns/route"),
  };
}

const fine = { Accepted: true, ResolvedRefs: true };

test("a policy turns on TLS to the backends of its Service, and has a status for each Gateway that uses them", () => {
  const found = outcome([backendTLSPolicy({}), gateway({ name: "other" })]);
  expect(found.sentences).toEqual([]);
  expect(found.policy()).toEqual(fine);
  expect(found.gateways()).toEqual(["gw"]);
  const text = expect.stringContaining("BEGIN CERTIFICATE") as string;
  expect(found.backends).toMatchObject([
    {
      upstream: "ns/web/80 for routes",
      tls: { authorities: { kind: "pem", text }, hostname: "web.example", names: [] },
    },
  ]);
  const system = { wellKnownCACertificates: "System", caCertificateRefs: [] };
  const path = "/etc/ssl/certs/ca-certificates.crt";
  expect(outcome([backendTLSPolicy({ validation: system })]).backends).toMatchObject([
    { tls: { authorities: { kind: "file", path } } },
  ]);
  const unused = outcome([backendTLSPolicy({ service: "other" })]);
  expect([unused.gateways(), unused.sentences], "it may be for another controller").toEqual([[], []]);
});

test("a Service that a route may not name adds no Gateway to the status of its policy", () => {
  const elsewhere = gateway({
    name: "theirs",
    listeners: [listener({ allowedRoutes: { namespaces: { from: "All" } } })],
  });
  const stranger = route({
    name: "stranger",
    namespace: "other",
    parent: { name: "theirs" },
    rules: [{ backendRefs: [{ name: "web", namespace: "ns", port: 80 }] }],
  });
  const objects = [backendTLSPolicy({}), namespace("other"), elsewhere, stranger];
  expect(outcome(objects).gateways()).toEqual(["gw"]);
  const from = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "other" };
  const permit = grant({ namespace: "ns", from: "HTTPRoute", to: "Service" });
  const permitted = { ...permit, spec: { ...permit.spec, from: [from] } } as typeof permit;
  expect(outcome([...objects, permitted]).gateways()).toEqual(["gw", "theirs"]);
});

test("the oldest policy decides, and one for the port comes before one for the whole Service", () => {
  const two = [backendTLSPolicy({ name: "young" }), backendTLSPolicy({ name: "old", age: 9 })];
  const conflict = outcome(two);
  expect(conflict.policy("old")).toEqual(fine);
  expect(conflict.policy("young")).toEqual({ Accepted: "Conflicted", ResolvedRefs: true });
  const strange = { wellKnownCACertificates: "Strange", caCertificateRefs: [] };
  const worse = outcome([backendTLSPolicy({ name: "young", validation: strange }), two[1]!]);
  expect(worse.policy("young"), "a mistake beside").toMatchObject({ Accepted: "Conflicted" });
  expect(conflict.sentences).toEqual([
    "spec.targetRefs[0]: the older BackendTLSPolicy ns/old is for Service ns/web too; that one decides",
  ]);
  const validation = { hostname: "port.example" };
  const apart = outcome([...two.slice(1), backendTLSPolicy({ name: "port", section: "http", validation })]);
  expect([apart.policy("old"), apart.policy("port")]).toEqual([fine, fine]);
  expect(apart.backends).toMatchObject([{ tls: { hostname: "port.example" } }]);
  const broken = backendTLSPolicy({ name: "oldest", age: 99, validation: { caCertificateRefs: [] } });
  const closed = outcome([...two, broken]);
  expect(closed.backends?.[0], "a younger one does not stand in for it").toHaveProperty("unusable");
  const nowhere = outcome([backendTLSPolicy({ section: "gone" })]);
  expect(nowhere.policy()).toEqual({ Accepted: "TargetNotFound", ResolvedRefs: true });
  expect(nowhere.backends?.[0]).not.toHaveProperty("tls");
});

const ref = (name: string, kind = "ConfigMap") => ({ group: "", kind, name });
const broken: readonly [string, Parameters<typeof backendTLSPolicy>[0]["validation"], object, string][] = [
  [
    "a ConfigMap that does not exist",
    { caCertificateRefs: [ref("gone")] },
    { Accepted: "NoValidCACertificate", ResolvedRefs: "InvalidCACertificateRef" },
    "spec.validation.caCertificateRefs[0]: ConfigMap ns/gone not found; no certificate is trusted by it",
  ],
  [
    "a ConfigMap without certificates",
    { caCertificateRefs: [ref("empty")] },
    { Accepted: "NoValidCACertificate", ResolvedRefs: "InvalidCACertificateRef" },
    "spec.validation.caCertificateRefs[0]: ConfigMap ns/empty has no ca.crt; no certificate is trusted by it",
  ],
  [
    "a ConfigMap with an unreadable certificate",
    { caCertificateRefs: [ref("torn")] },
    { Accepted: "NoValidCACertificate", ResolvedRefs: "InvalidCACertificateRef" },
    "spec.validation.caCertificateRefs[0]: ConfigMap ns/torn has a ca.crt whose certificate 2 cannot be read; no certificate is trusted by it",
  ],
  [
    "a reference of another kind",
    { caCertificateRefs: [ref("ca", "Bundle")] },
    { Accepted: "NoValidCACertificate", ResolvedRefs: "InvalidKind" },
    "spec.validation.caCertificateRefs[0]: names a Bundle, not a ConfigMap or Secret; no certificate is trusted by it",
  ],
  [
    "unknown authorities",
    { caCertificateRefs: [], wellKnownCACertificates: "Mozilla" },
    { Accepted: "Invalid", ResolvedRefs: true },
    'spec.validation.wellKnownCACertificates: "Mozilla" is not System; requests to its targets get 500',
  ],
  [
    "both kinds of authorities",
    { wellKnownCACertificates: "System" },
    { Accepted: "Invalid" },
    "spec.validation: names both caCertificateRefs and wellKnownCACertificates; requests to its targets get 500",
  ],
  [
    "no hostname",
    { hostname: "" },
    { Accepted: "Invalid" },
    "spec.validation.hostname: is missing; requests to its targets get 500",
  ],
  [
    "a malformed hostname",
    { hostname: 'a"; }' },
    { Accepted: "Invalid" },
    'spec.validation.hostname: "a\\"; }" is not a host name; requests to its targets get 500',
  ],
  [
    "a name of an unknown kind",
    { subjectAltNames: [{ type: "Email", hostname: "a.example" }] },
    { Accepted: "Invalid" },
    'spec.validation.subjectAltNames[0].type: "Email" is not Hostname or URI; requests to its targets get 500',
  ],
  [
    "a URI with a space, after which another name would begin",
    { subjectAltNames: [{ type: "URI", uri: "spiffe://a dns:b.example" }] },
    { Accepted: "Invalid" },
    'spec.validation.subjectAltNames[0].uri: "spiffe://a dns:b.example" is not an absolute URI; requests to its targets get 500',
  ],
];
test.each(broken)(
  "a policy with %s makes its backend answer 500, whatever else it has",
  (_, validation, conditions, why) => {
    const maps = [authorities("empty", undefined), authorities("torn", `${chain}-----BEGIN CERTIFICATE-----\nx\n`)];
    const found = outcome([backendTLSPolicy({ ...(validation === undefined ? {} : { validation }) }), ...maps]);
    expect(found.policy()).toMatchObject(conditions);
    expect(found.sentences).toContain(why);
    expect(found.backends).toMatchObject([{ upstream: "", unusable: { kind: "reference-unusable" } }]);
    const parents = found.route?.kind === "route" ? found.route.parents : [];
    const message = parents[0]?.conditions[0]?.message;
    expect(message, "the route says it too").toContain("BackendTLSPolicy ns/policy cannot be followed");
  },
);

test("distinct policies of a namespace load a limited amount of authorities, those of the oldest", () => {
  const system = { wellKnownCACertificates: "System", caCertificateRefs: [] };
  const many = Array.from({ length: 60 }, (_, at) => [
    serviceIn("ns", `s${at}`, { name: "http" }),
    backendTLSPolicy({
      ...{ name: `p${at}`, age: 60 - at, service: `s${at}` },
      validation: { ...system, hostname: `h${at}.example` },
    }),
  ]).flat();
  const all = route({
    rules: Array.from({ length: 16 }, (_, nth) => ({
      backendRefs: [0, 16, 32, 44].map((from) => ({ name: `s${from + nth}`, port: 80 })),
    })),
  });
  const found = outcome([...many, all]);
  expect(found.policy("p0")).toEqual(fine);
  expect(found.policy("p8")).toEqual(fine);
  expect(found.policy("p9")).toEqual({ Accepted: "Invalid", ResolvedRefs: true });
  expect(found.sentences).toContain(
    "spec.validation: with the older objects of kind BackendTLSPolicy in namespace ns nginx would load more authorities and key pairs than authorities-per-namespace permits (4m); requests to its targets get 500",
  );
  const backends = found.backends ?? [];
  expect(backends.map((one) => one.unusable === undefined)).toEqual([true, false, false, false]);
  const same = Array.from({ length: 60 }, (_, at) =>
    backendTLSPolicy({ name: `p${at}`, service: `s${at}`, validation: { ...system, hostname: "same.example" } }),
  );
  expect(outcome([...many, ...same, all]).policy("p59"), "equal policies share what is loaded").toEqual(fine);
});

test("policies with small authorities are limited as well, because nginx has settings of its own for each", () => {
  const many = Array.from({ length: 200 }, (_, at) => [
    serviceIn("ns", `s${at}`, { name: "http" }),
    backendTLSPolicy({
      ...{ name: `p${at}`, age: 200 - at, service: `s${at}` },
      validation: { hostname: `h${at}.example` },
    }),
  ]).flat();
  const found = outcome([
    ...many,
    route({ rules: [0, 199].map((at) => ({ backendRefs: [{ name: `s${at}`, port: 80 }] })) }),
  ]);
  expect([found.policy("p0"), found.policy("p199")]).toEqual([fine, { Accepted: "Invalid", ResolvedRefs: true }]);
});

test("a policy fits again when an older one is gone, in any history", () => {
  const system = { wellKnownCACertificates: "System", caCertificateRefs: [] };
  const policy = (at: number) =>
    backendTLSPolicy({
      name: `p${at}`,
      age: 60 - at,
      validation: { ...system, hostname: `h${at}.example` },
      service: `s${at}`,
    });
  const services = Array.from({ length: 10 }, (_, at) => serviceIn("ns", `s${at}`, { name: "http" }));
  const last = route({ rules: [{ backendRefs: [{ name: "s9", port: 80 }] }] });
  const policies = Array.from({ length: 10 }, (_, at) => policy(at));
  const translator = new Translator(options, fake);
  const usable = (snapshot: typeof world) => {
    const { configuration } = translator.turn({ ...emptyInputs, snapshot });
    return configuration.servers.get("ns/gw/http _")?.locations[0]?.backends[0]?.unusable === undefined;
  };
  const full = put(world, ...services, ...policies, last);
  expect(usable(full)).toBe(false);
  const fewer = withObjects(full, [{ kind: "BackendTLSPolicy", key: "ns/p3", object: undefined }]);
  expect(usable(fewer)).toBe(true);
  expect(usable(put(fewer, policy(3)))).toBe(false);
});

test("names in addition to the hostname need a module of nginx, and without it no request is sent", () => {
  const subjectAltNames = [
    { type: "Hostname", hostname: "*.Web.example" },
    { type: "URI", uri: "spiffe://cluster/$web" },
  ];
  const policy = backendTLSPolicy({ validation: { hostname: "web.example", subjectAltNames } });
  expect(outcome([policy]).backends).toMatchObject([
    { tls: { names: ["dns:*.web.example", "uri:spiffe://cluster/$web"] } },
  ]);
  const without = outcome([policy], { lacks: new Set<Capability>(["upstreamSan"]) });
  expect(without.policy()).toMatchObject({ Accepted: "Invalid" });
  expect(without.backends?.[0]).toHaveProperty("unusable");
  expect(without.sentences).toContain(
    "spec.validation.subjectAltNames: nginx here has no module that checks the names of a backend's certificate; requests to its targets get 500",
  );
});

test("where a policy names several ConfigMaps, the readable ones are trusted, and the others are reported", () => {
  const validation = { hostname: "web.example", caCertificateRefs: [ref("gone"), ref("ca")] };
  const found = outcome([backendTLSPolicy({ validation })]);
  expect(found.policy()).toEqual({ Accepted: true, ResolvedRefs: "InvalidCACertificateRef" });
  expect(found.backends).toMatchObject([{ tls: { hostname: "web.example" } }]);
});

test("a mirror is never sent in plain text to a Service with a policy, and not at all where the policy cannot be met", () => {
  const filters = [{ type: "RequestMirror", requestMirror: { backendRef: { name: "web", port: 80 } } }];
  const plain = route({ rules: [{ filters, backendRefs: [{ name: "plain", port: 80 }] }] });
  const found = outcome([backendTLSPolicy({}), serviceIn("ns", "plain"), plain]);
  expect(found.sentences).toEqual([]);
  expect(found.backends?.[0]).not.toHaveProperty("tls");
  expect(found.mirrors).toMatchObject([{ way: { isSecure: true, tls: { hostname: "web.example" } } }]);
  const broken = backendTLSPolicy({ validation: { hostname: "web.example", caCertificateRefs: [ref("gone")] } });
  const closed = outcome([broken, serviceIn("ns", "plain"), plain]);
  expect(closed.mirrors).toBeUndefined();
  expect(closed.sentences).toContainEqual(
    expect.stringMatching(
      /requestMirror.backendRef: names a Service whose BackendTLSPolicy .* cannot be followed.*; it gets no copies of requests$/,
    ),
  );
});

test.each([
  ["null", null],
  ["a port without a name", { group: "", kind: "Service", name: "web", sectionName: 5 }],
  ["a Service without a name", { group: "", kind: "Service", name: 5 }],
])("a policy still governs its targets if one of them is %s", (_, strange) => {
  const target = { group: "", kind: "Service", name: "web", sectionName: "http" };
  const targetRefs = [strange, target] as never;
  const found = outcome([backendTLSPolicy({ spec: { targetRefs } })]);
  expect(found.backends).toMatchObject([{ unusable: expect.anything() }]);
  expect(found.policy()).toMatchObject({ Accepted: "Invalid" });
  expect(found.sentences).toContain(
    "spec.targetRefs[0]: is not a target with a group, kind and name; requests to its targets get 500",
  );
});
