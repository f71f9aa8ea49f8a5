import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  namespace,
  route,
  serviceIn,
} from "../../../../test/support/gateways.ts";
import { base, configMap, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { defaultOptions } from "../../table/options.ts";
import { Translator, translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";
import { hostPolicyOf, permits } from "./policy.ts";

const policy = hostPolicyOf([
  { namespace: "shop", hosts: "shop.example.com" },
  { namespace: "old-shop", hosts: "shop.example.com" },
  { namespace: "pay", hosts: "*.shop.example.com" },
  { namespace: "example", hosts: ".example.com" },
  { namespace: "deep", hosts: ".shop.example.com" },
]);

test.each([
  ["shop.example.com", ["old-shop", "shop"]],
  ["a.shop.example.com", ["pay"]],
  ["a.b.shop.example.com", ["deep"]],
  ["*.shop.example.com", ["pay"]],
  ["example.com", ["example"]],
  ["other.example.com", ["example"]],
  ["*.example.com", ["example"]],
  ["myexample.com", undefined],
  ["_", undefined],
  ["~^.*$", undefined],
])("the most exact entry for the host %s decides its namespaces", (host, owners) => {
  expect(policy.ownersOf(host)).toEqual(owners);
});

test("the entry * has every host that no other entry has, also patterns and the catch-all", () => {
  const strict = hostPolicyOf([
    { namespace: "platform", hosts: "*" },
    { namespace: "shop", hosts: "shop.example" },
  ]);
  for (const host of ["_", "~^.*$", "www.*", "other.example"]) expect(strict.ownersOf(host)).toEqual(["platform"]);
  expect(permits(strict, "shop", "shop.example")).toBe(true);
  expect(permits(strict, "platform", "shop.example")).toBe(false);
});

const options = {
  ...defaultOptions,
  hostPolicy: "infra/hosts",
  gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] },
};
const given = (data: Readonly<Record<string, string>>) => configMap("infra/hosts", data);

/** Returns an Ingress with the same path on several hosts. */
function onHosts(hosts: readonly string[], annotations: Readonly<Record<string, string>> = {}) {
  const one = ingress({ name: "web", annotations });
  const [rule] = one.spec!.rules!;
  return { ...one, spec: { ...one.spec, rules: hosts.map((host) => ({ ...rule, host })) } };
}

function outcome(...objects: KubernetesObject[]) {
  const { configuration, problems, statuses } = translate(
    { ...emptyInputs, snapshot: put(base, ...objects) },
    options,
    fake,
  );
  const conditions = (key: string) => {
    const status = statuses.get(`HTTPRoute ${key}`);
    return status?.kind === "route" ? status.parents.flatMap((parent) => parent.conditions) : [];
  };
  return { configuration, conditions, sentences: [...problems.values()].flat().map(sentence) };
}

test("an Ingress keeps the hosts that it may use, and loses names, certificates and redirects of the others", () => {
  const { configuration, sentences } = outcome(
    given({ pay: ".pay.example, www.shop.example", ns: "shop.example" }),
    service("web"),
    onHosts(["shop.example", "a.pay.example"], {
      "server-alias": "pay.example,b.example",
      "from-to-www-redirect": "true",
    }),
  );
  expect([...configuration.servers.keys()].sort()).toEqual(["_", "shop.example"]);
  const server = configuration.servers.get("shop.example");
  expect(server?.aliases.map(({ name }) => name)).toEqual(["b.example"]);
  expect(server?.redirectFrom).toBeUndefined();
  const alone = "alone; nothing is served for it here";
  expect(sentences).toEqual([
    `spec.rules[1].host: the host policy gives a.pay.example to namespace pay ${alone}`,
    `annotation server-alias: the host policy gives pay.example to namespace pay ${alone}`,
    `annotation from-to-www-redirect: the host policy gives www.shop.example to namespace pay ${alone}`,
  ]);
});

test("an alias in no spelling takes a host that the policy gives to others", () => {
  const policy = given({ pay: ".pay.example", shop: "shop.example", blog: "*.blog.example" });
  const spellings = [
    ...[".pay.example", ".PAY.example.", "a.pay.example.", "*.pay.example", ".b.pay.example", ".shop.example"],
    ...["SHOP.EXAMPLE.", "Shop.Example", ".blog.example", "a.blog.example", "*.Blog.example", "xn--a.blog.example"],
  ];
  for (const alias of spellings) {
    const { configuration, sentences } = outcome(
      policy,
      service("web"),
      onHosts(["own.example"], { "server-alias": `${alias},b.example` }),
    );
    const names = configuration.servers.get("own.example")?.aliases.map(({ name }) => name);
    expect([alias, names]).toEqual([alias, ["b.example"]]);
    expect(sentences.join()).toMatch(/^annotation server-alias: the host policy gives \S+ to namespace \w+ alone/);
  }
});

test("a route keeps the hosts that it may use, and its condition names the others", () => {
  const world = [gatewayClass(), gateway({ listeners: [listener({})] }), namespace("ns"), serviceIn("ns", "web")];
  const hostnames = ["a.pay.example", "shop.example"];
  const partly = outcome(given({ pay: ".pay.example" }), ...world, route({ hostnames }));
  expect([...partly.configuration.servers.values()].map(({ name }) => name).sort()).toEqual(["_", "shop.example"]);
  const alone = "to namespace pay alone; nothing is served for it here";
  expect(partly.conditions("ns/route")).toContainEqual(
    expect.objectContaining({
      type: "Accepted",
      status: "True",
      message: expect.stringContaining(`spec.hostnames[0]: the host policy gives a.pay.example ${alone}`),
    }),
  );
  const none = outcome(given({ pay: ".pay.example shop.example" }), ...world, route({ hostnames }));
  expect([...none.configuration.servers.keys()]).toEqual(["_"]);
  expect(none.conditions("ns/route")).toContainEqual(
    expect.objectContaining({ type: "Accepted", status: "False", reason: "NotAllowedByHostPolicy" }),
  );
});

test("a route without hostnames needs the host of its listener", () => {
  const world = [
    gatewayClass(),
    gateway({ listeners: [listener({ hostname: "*.pay.example" })] }),
    namespace("ns"),
    serviceIn("ns", "web"),
    route({}),
  ];
  expect(outcome(given({ pay: "*.pay.example" }), ...world).sentences).toEqual([
    "spec.hostnames: the host policy gives *.pay.example to namespace pay alone; nothing is served for it here",
  ]);
  expect(outcome(given({ ns: "*.pay.example" }), ...world).sentences).toEqual([]);
});

test.each<[string | undefined, string, string | undefined]>([
  ["a.pay.example", ".pay.example", "a.pay.example"],
  ["*.pay.example", ".pay.example", "*.pay.example"],
  ["*.example", ".pay.example", "pay.example"],
  ["*.example", "*.pay.example", "*.pay.example"],
  ["*.example", "a.b.example", "a.b.example"],
  [undefined, "*", "*"],
  ["*.example", "pay.test, xexample, example", undefined],
  [undefined, ".pay.example", undefined],
])(
  "a listener of another namespace for %s is not served where %s is given to other namespaces",
  (hostname, hosts, refused) => {
    const one = listener({ name: "own", ...(hostname === undefined ? { port: 81 } : { hostname }) });
    const allowed = { allowedListeners: { namespaces: { from: "All" } } } as never;
    const read = (home: string, owner: string) =>
      outcome(
        ...[given({ [owner]: hosts }), gatewayClass(), gateway({ spec: allowed }), namespace("other"), namespace("ns")],
        listenerSet({ namespace: home, listeners: [one] }),
      ).sentences;
    const why = `spec.listeners[0].hostname: the host policy gives ${refused} to namespace pay alone; nothing is served for it here`;
    expect(read("other", "pay")).toEqual(refused === undefined ? [] : [why]);
    expect(read("other", "other")).toEqual([]);
    expect(read("ns", "pay")).toEqual([]);
  },
);

test("a changed policy moves hosts at once, and a missing one stays in force", () => {
  const translator = new Translator(options, fake);
  const hostsWith = (...objects: KubernetesObject[]) => {
    const snapshot = put(base, service("web"), ingress({ name: "web", host: "a.example" }), ...objects);
    const { configuration, problems } = translator.turn({ ...emptyInputs, snapshot });
    return { isServed: configuration.servers.has("a.example"), sentences: [...problems.values()].flat().map(sentence) };
  };
  expect(hostsWith(given({})).isServed).toBe(true);
  expect(hostsWith(given({ pay: "a.example" })).isServed).toBe(false);
  const lost = hostsWith();
  expect(lost.isServed).toBe(false);
  expect(lost.sentences).toContain(
    "the flag --host-policy: the ConfigMap is not found; its last content stays in force",
  );
  expect(hostsWith(given({ ns: "a.example" })).isServed).toBe(true);
});

test("an entry that is no host is reported, and the others apply", () => {
  const { sentences } = outcome(given({ pay: "a.example, b_c, https://x" }), service("web"), ingress({ name: "web" }));
  const expected =
    "is not a host such as shop.example.com, *.example.com or .example.com; the policy is used without it";
  expect(sentences).toEqual([`data.pay: "b_c" ${expected}`, `data.pay: "https://x" ${expected}`]);
});

test("labels of Namespaces are entries too, and an empty label is reported", () => {
  const labelled = {
    ...namespace("pay"),
    metadata: {
      name: "pay",
      labels: {
        "hosts.sluice.dev/a.example": "exact",
        "hosts.sluice.dev/b.example": "wildcard",
        "hosts.sluice.dev/c.example": "suffix",
        "hosts.sluice.dev/d.example": "yes",
      },
    },
  };
  const hosts = ["a.example", "x.b.example", "b.example", "x.y.c.example", "d.example"];
  const snapshot = put(base, labelled, service("web"), onHosts(hosts));
  const { configuration, problems } = translate(
    { ...emptyInputs, snapshot },
    { ...options, hostPolicy: "labels" },
    fake,
  );
  expect([...configuration.servers.keys()].sort()).toEqual(["_", "b.example", "d.example"]);
  expect([...problems.values()].flat().map(sentence)).toContain(
    'metadata.labels[hosts.sluice.dev/d.example]: "yes" is not exact, wildcard or suffix, or the label names no host; the policy is used without it',
  );
});
