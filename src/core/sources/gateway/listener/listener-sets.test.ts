/**
 * ListenerSets: their order, conflicts, permissions and statuses, and the routes that name them.
 */
import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  grant,
  listener,
  listenerSet,
  namespace,
  pooled,
  route,
  serviceIn,
  shortConditions,
} from "../../../../../test/support/gateways.ts";
import { fake, put, tlsSecret } from "../../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../../certificates/fake.ts";
import type { GatewayListener } from "../../../model/gateway/objects.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { Table } from "../../../model/table.ts";
import { emptyLastGood } from "../../../table/last-good.ts";
import { defaultOptions } from "../../../table/options.ts";
import { emptyQuarantine, versionOf } from "../../../table/quarantine.ts";
import { Translator, translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const options = pooled;
const world = put(
  emptySnapshot,
  gatewayClass(),
  namespace("ns"),
  namespace("other", { team: "b" }),
  serviceIn("ns", "web"),
);
const all = { namespaces: { from: "All" } };
const open = (...listeners: GatewayListener[]) =>
  gateway({ listeners: listeners.length > 0 ? listeners : [listener({})], spec: { allowedListeners: all } });
const host = (hostname: string, more: Partial<GatewayListener> = {}) =>
  listener({ name: hostname.split(".")[0]!, hostname, ...more });
const tls = (hostname: string, secret: object = { name: "tls" }) =>
  host(hostname, { port: 443, protocol: "HTTPS", tls: { certificateRefs: [secret as { name: string }] } });
const toSet = (set: string, more: object = {}) =>
  route({ parent: { kind: "ListenerSet", name: set.split("/")[1]!, namespace: set.split("/")[0]!, ...more } });

const short = shortConditions;

function outcome(...objects: KubernetesObject[]) {
  return outcomeOf(translate({ ...emptyInputs, snapshot: put(world, ...objects) }, options, fake));
}

function outcomeOf({ statuses, configuration, problems }: ReturnType<typeof translate>) {
  return {
    configuration,
    sentences: [...problems.values()]
      .flat()
      .map((one) => `${one.object.namespace}/${one.object.name}: ${sentence(one)}`),
    set: (key = "ns/set") => {
      const status = statuses.get(`ListenerSet ${key}`);
      if (status?.kind !== "ListenerSet") return undefined;
      const listeners = status.listeners.map((one) => ({ attached: one.attachedRoutes, ...short(one.conditions) }));
      return { ...short(status.conditions), listeners };
    },
    gateway: () => {
      const status = statuses.get("Gateway ns/gw");
      if (status?.kind !== "Gateway") throw new Error("no status of gw");
      const { attachedListenerSets: sets, listeners } = status;
      return { sets, ...short(status.conditions), listeners: listeners.map((one) => short(one.conditions)) };
    },
    route: (key = "ns/route") => {
      const status = statuses.get(`HTTPRoute ${key}`);
      return status?.kind === "route" ? status.parents.map(({ conditions }) => short(conditions)) : undefined;
    },
    hosts: [...configuration.servers.keys()].filter((key) => key.includes(" ")).sort(),
  };
}

const good = { Accepted: true, Programmed: true };
const notAllowed = { Accepted: "NotAllowed", Programmed: "NotAllowed", listeners: [] };
const lost = (reason: string) => ({ Accepted: reason, Conflicted: reason, Programmed: reason });

test("the listeners of a set are beside those of its Gateway, with their own routes", () => {
  const it = outcome(open(), listenerSet({ namespace: "other" }), toSet("other/set"), route({ name: "own" }));
  expect(it.set("other/set")).toMatchObject({ ...good, listeners: [{ ...good, attached: 0 }] });
  expect(it.gateway()).toMatchObject({ sets: 1, ...good });
  expect(it.route(), "Same is the namespace of the set").toMatchObject([{ Accepted: "NotAllowedByListeners" }]);
  const set = listenerSet({ namespace: "other", listeners: [host("set.example", { allowedRoutes: all })] });
  const now = outcome(open(), set, toSet("other/set"), route({ name: "own" }));
  expect(now.set("other/set")).toMatchObject({ listeners: [{ attached: 1, Conflicted: "NoConflicts" }] });
  expect(now.route()).toEqual([{ Accepted: true, ResolvedRefs: true }]);
  expect(now.hosts).toEqual(["ns/gw/http _", "ns/gw/other/set/set _"]);
  expect([...now.configuration.listenerPorts.values()]).toMatchObject([
    {
      id: "ns/gw:80",
      owners: [{ kind: "Gateway" }, { kind: "ListenerSet", namespace: "other" }],
      listeners: [
        { id: "ns/gw/http", name: "http", gateway: "ns/gw", hostname: "" },
        { id: "ns/gw/other/set/set", name: "other/set/set", gateway: "ns/gw", hostname: "set.example" },
      ],
    },
  ]);
  expect(now.sentences).toEqual([]);
});

test.each<[string, object | undefined, object, object]>([
  ["nothing", undefined, notAllowed, notAllowed],
  ["None", { namespaces: { from: "None" } }, notAllowed, notAllowed],
  ["no word", { namespaces: {} }, notAllowed, notAllowed],
  ["Same", { namespaces: { from: "Same" } }, good, notAllowed],
  ["All", all, good, good],
  ["a selector", { namespaces: { from: "Selector", selector: { matchLabels: { team: "b" } } } }, notAllowed, good],
  ["a selector of nothing", { namespaces: { from: "Selector" } }, notAllowed, notAllowed],
])("allowedListeners with %s admits the declared sets", (_, allowedListeners, same, other) => {
  const spec = allowedListeners === undefined ? {} : { allowedListeners };
  const it = outcome(
    gateway({ spec }),
    listenerSet({}),
    listenerSet({ namespace: "other", listeners: [host("other.example")] }),
    toSet("other/set"),
  );
  expect(it.set()).toMatchObject(same);
  expect(it.set("other/set")).toMatchObject(other);
  expect(it.gateway().sets).toBe([same, other].filter((one) => one === good).length);
  const refusal = other === good ? "NotAllowedByListeners" : "NoMatchingParent";
  expect(it.route()).toMatchObject([{ Accepted: refusal }]);
});

test("the Gateway comes first, then the oldest set, then the first by namespace and name", () => {
  const it = outcome(
    open(host("gw.example"), listener({ name: "tcp", port: 9000 })),
    listenerSet({ name: "b", age: 3, listeners: [host("gw.example"), host("a.example"), host("b.example")] }),
    listenerSet({ name: "young", age: 1, listeners: [host("a.example")] }),
    listenerSet({ name: "c", namespace: "ns", age: 2, listeners: [host("c.example")] }),
    listenerSet({ name: "a", namespace: "other", age: 2, listeners: [host("c.example"), host("d.example")] }),
  );
  expect(it.set("ns/b")).toMatchObject({
    Accepted: "ListenersNotValid",
    Programmed: true,
    listeners: [lost("HostnameConflict"), good, good],
  });
  expect(it.set("ns/young")).toMatchObject({
    Accepted: "ListenersNotValid",
    Programmed: "ListenersNotValid",
    listeners: [lost("HostnameConflict")],
  });
  expect(it.set("ns/c")).toMatchObject(good);
  expect(it.set("other/a")).toMatchObject({ listeners: [lost("HostnameConflict"), good] });
  expect(it.gateway()).toMatchObject({ sets: 3, ...good, listeners: [good, good] });
  expect(it.sentences.sort()).toEqual([
    "ns/b: spec.listeners[0].hostname: the Gateway has hostname gw.example on port 80 too; the listener is not served",
    "ns/young: spec.listeners[0].hostname: the older ListenerSet b has hostname a.example on port 80 too; the listener is not served",
    "other/a: spec.listeners[0].hostname: an older ListenerSet of another namespace has hostname c.example on port 80 too; the listener is not served",
  ]);
});

test("a set gets no port that the Gateway or an older set has with another protocol", () => {
  const it = outcome(
    open(),
    listenerSet({ name: "old", age: 2, listeners: [host("old.example", { port: 81 })] }),
    listenerSet({
      name: "thief",
      namespace: "other",
      listeners: [
        { ...tls("victim.example"), port: 80 },
        { ...tls("old.example"), name: "old", port: 81 },
        listener({ name: "tcp", protocol: "TCP", port: 81 }),
        host("thief.example", { port: 81 }),
      ],
    }),
  );
  const conflict = lost("ProtocolConflict");
  expect(it.set("other/thief")).toMatchObject({ Programmed: true, listeners: [conflict, conflict, conflict, good] });
  expect(it.set("ns/old")).toMatchObject(good);
  expect(it.gateway()).toMatchObject({ sets: 2, ...good, listeners: [good] });
  const ports = [...it.configuration.listenerPorts.values()];
  expect(ports.map(({ tls: isTls, listeners }) => [isTls, ...listeners.map(({ hostname }) => hostname)])).toEqual([
    [false, ""],
    [false, "old.example", "thief.example"],
  ]);
});

test("in a conflict within one set or Gateway no listener wins, and newer sets do not get its host and port", () => {
  const twins = [listener({ name: "a", port: 81 }), listener({ name: "b", port: 81, hostname: "" })];
  const young = [listener({ port: 81 }), host("young.example", { port: 81 })];
  const it = outcome(
    open(),
    listenerSet({ name: "old", age: 2, listeners: twins }),
    listenerSet({ name: "young", namespace: "other", listeners: young }),
  );
  expect(it.set("ns/old")).toMatchObject({ listeners: [lost("HostnameConflict"), lost("HostnameConflict")] });
  expect(it.set("other/young")).toMatchObject({ listeners: [lost("HostnameConflict"), good] });
  expect(it.sentences[0]).toBe(
    "ns/old: spec.listeners[0].hostname: listener b has no hostname on port 81 too; none of them is served",
  );
});

test("the sets of one namespace add at most sixteen ports to a Gateway of another one", () => {
  const ports = (name: string, first: number, count: number) =>
    Array.from({ length: count }, (_, at) => listener({ name: `${name}-${at}`, port: first + at }));
  const it = outcome(
    open(),
    listenerSet({ name: "own", age: 9, listeners: ports("own", 1000, 20) }),
    listenerSet({ name: "old", namespace: "other", age: 2, listeners: ports("old", 2000, 15) }),
    listenerSet({
      name: "young",
      namespace: "other",
      listeners: [host("x.example", { port: 1000 }), ...ports("young", 3000, 2)],
    }),
    listenerSet({ name: "free", namespace: "third", listeners: ports("free", 4000, 1) }),
  );
  expect(it.set("ns/own")).toMatchObject({ Accepted: true, listeners: Array(20).fill(good) });
  expect(it.set("other/young")).toMatchObject({
    listeners: [good, good, { Accepted: "TooManyListeners", Programmed: "Invalid", Conflicted: "NoConflicts" }],
  });
  expect(it.set("third/free")).toMatchObject(good);
  expect(it.configuration.listenerPorts.size).toBe(1 + 20 + 16 + 1);
  expect(it.sentences).toEqual([
    "other/young: spec.listeners[2].port: ListenerSets of namespace other have added 16 ports to the Gateway, which is the most; the listener is not served",
  ]);
});

test("a host and port that a refused listener asked for is free for newer sets", () => {
  const it = outcome(
    open(),
    listenerSet({ name: "old", age: 2, listeners: [host("x.example", { port: 82, protocol: "example.com/mine" })] }),
    listenerSet({ name: "young", listeners: [host("x.example", { port: 82 })] }),
  );
  expect(it.set("ns/old")).toMatchObject({ listeners: [{ Accepted: "UnsupportedProtocol" }] });
  expect(it.set("ns/young")).toMatchObject(good);
});

test("a set may use its own namespace's certificates, and not those of its Gateway's", async () => {
  const { chain, key } = await fakeCertificate(new Date());
  const own = tlsSecret(chain, key.reveal());
  const secret = { ...own, metadata: { namespace: "other", name: "tls" } };
  const elsewhere = { name: "tls", namespace: "other" };
  const objects = [
    secret,
    own,
    open(tls("gw.example", elsewhere)),
    grant({ namespace: "other", from: "Gateway", to: "Secret" }),
    listenerSet({ name: "denied", age: 2, listeners: [tls("denied.example", elsewhere)] }),
    listenerSet({ name: "own", listeners: [tls("own.example")] }),
  ];
  const it = outcome(...objects);
  const none = "ListenersNotValid";
  expect(it.set("ns/denied")).toMatchObject({
    Accepted: none,
    Programmed: none,
    listeners: [{ Accepted: true, Programmed: "Invalid", ResolvedRefs: "RefNotPermitted" }],
  });
  expect(it.set("ns/own")).toMatchObject(good);
  expect(it.gateway()).toMatchObject({ sets: 1, ...good, ResolvedRefs: true });
  expect(it.sentences).toEqual([
    "ns/denied: spec.listeners[0].tls.certificateRefs[0]: no ReferenceGrant of namespace other permits ListenerSets of namespace ns to use Secret other/tls; it is not served",
  ]);
  const permitted = outcome(
    ...objects.filter(({ kind }) => kind !== "ReferenceGrant"),
    grant({ namespace: "other", from: "ListenerSet", to: "Secret" }),
  );
  expect(permitted.set("ns/denied")).toMatchObject(good);
  expect(permitted.gateway()).toMatchObject({ listeners: [{ ResolvedRefs: "RefNotPermitted" }] });
  expect(permitted.configuration.listenerPorts.get("ns/gw:443")?.listeners).toMatchObject([
    { hostname: "gw.example", certificates: [] },
    { hostname: "denied.example", certificates: ["other/tls"] },
    { hostname: "own.example", certificates: ["ns/tls"] },
  ]);
});

test("routes at a Gateway are not attached to its sets, and routes at a set are attached to its listeners alone", () => {
  const set = listenerSet({
    listeners: [host("a.example"), host("b.example", { port: 81 }), listener({ name: "http", port: 82 })],
  });
  const at = (name: string, parent: object) =>
    route({
      name,
      parent: { kind: "ListenerSet", name: "set", ...parent },
      rules: [{ matches: [{ path: { value: `/${name}` } }], backendRefs: [{ name: "web", port: 80 }] }],
    });
  const it = outcome(
    open(),
    set,
    route({ name: "gateway" }),
    at("whole", {}),
    at("section", { sectionName: "http" }),
    at("port", { port: 81 }),
    at("wrong", { sectionName: "b", port: 80 }),
    route({ name: "astray", parent: { sectionName: "a" } }),
    at("lost", { name: "gone" }),
  );
  expect(it.set()).toMatchObject({ listeners: [{ attached: 1 }, { attached: 2 }, { attached: 2 }] });
  expect(it.hosts).toEqual(["ns/gw/http _", "ns/gw/ns/set/a _", "ns/gw/ns/set/b _", "ns/gw/ns/set/http _"]);
  expect(it.route("ns/wrong")).toMatchObject([{ Accepted: "NoMatchingParent" }]);
  expect(it.route("ns/astray")).toMatchObject([{ Accepted: "NoMatchingParent" }]);
  expect(it.route("ns/lost")).toBeUndefined();
  expect(it.sentences.sort()).toEqual([
    "ns/astray: spec.parentRefs[0]: Gateway ns/gw has no listener named a; the route is not attached there",
    "ns/lost: spec.parentRefs: ListenerSet ns/gone not found; the route is not attached there",
    "ns/wrong: spec.parentRefs[0]: ListenerSet ns/set has no listener named b on port 80; the route is not attached there",
  ]);
  const both = {
    ...route({ name: "both" }),
    spec: { ...route({}).spec, parentRefs: [{ name: "gw" }, { kind: "ListenerSet", name: "set" }] },
  };
  expect(outcome(open(), set, both).route("ns/both")).toEqual([
    { Accepted: true, ResolvedRefs: true },
    { Accepted: true, ResolvedRefs: true },
  ]);
});

test("a set waits for its Gateway's address and acceptance, and its conditions say so", () => {
  const at = (value: string) =>
    gateway({ spec: { addresses: [{ value }], allowedListeners: all, gatewayClassName: "sluice" } });
  expect(outcome(at("198.51.100.1"), listenerSet({})).set()).toMatchObject({
    Accepted: true,
    Programmed: "ParentNotProgrammed",
    listeners: [{ Accepted: true, Programmed: "Pending" }],
  });
  const broken = open(listener({ protocol: "INVALID", port: 1111 }));
  const it = outcome(broken, listenerSet({}), toSet("ns/set"));
  expect(it.set()).toMatchObject({ Accepted: "ParentNotAccepted", Programmed: true, listeners: [good] });
  expect(it.gateway()).toMatchObject({ sets: 0, Accepted: "ListenersNotValid" });
  expect(it.hosts, "a mistake of the Gateway's own listeners does not end those of others").toHaveLength(1);
});

test("sets of Gateways of other controllers are left to those", () => {
  const other = { ...open(), spec: { ...open().spec, gatewayClassName: "other" } };
  const it = outcome(other, listenerSet({}), toSet("ns/set"));
  expect([it.set(), it.route(), it.sentences]).toEqual([undefined, undefined, []]);
  expect(outcome(listenerSet({})).sentences).toEqual([
    "ns/set: spec.parentRef: Gateway ns/gw not found; none of its listeners is served",
  ]);
  const strange = {
    ...listenerSet({}),
    spec: { parentRef: { group: "", kind: "Service", name: "gw" }, listeners: [] },
  };
  expect([outcome(open(), strange).set(), outcome(open(), strange).sentences]).toEqual([undefined, []]);
});

test("hosts that HTTPS listeners of several objects share are reported, without names of other objects", () => {
  const { statuses } = translate(
    {
      ...emptyInputs,
      snapshot: put(
        world,
        open(tls("*.example"), { ...tls("x.test"), name: "x" }),
        listenerSet({ namespace: "other", listeners: [tls("a.b.example"), { ...tls("*.b.example"), name: "wild" }] }),
      ),
    },
    options,
    fake,
  );
  const overlaps = (key: `${string} ${string}`) => {
    const status = statuses.get(key);
    return status?.kind === "Gateway" || status?.kind === "ListenerSet"
      ? status.listeners.map(
          ({ conditions }) => conditions.find(({ type }) => type === "OverlappingTLSConfig")?.message.split(" too,")[0],
        )
      : [];
  };
  expect(overlaps("Gateway ns/gw")).toEqual(["some hosts belong to listeners of ListenerSets", undefined]);
  expect(overlaps("ListenerSet other/set")).toEqual([
    "some hosts belong to listener wild and other listeners of the Gateway",
    "some hosts belong to listener a and other listeners of the Gateway",
  ]);
});

test("without addresses of their own, all Gateways come before any set", () => {
  const sharing = { ...options, gateway: { ...defaultOptions.gateway, sharesPorts: true } };
  const port = 8080;
  const objects = [
    gateway({ name: "old", age: 9, listeners: [host("old.example", { port })], spec: { allowedListeners: all } }),
    listenerSet({
      gateway: "old",
      namespace: "other",
      age: 8,
      listeners: [host("new.example", { port }), host("x.example", { port })],
    }),
    gateway({ name: "gw", age: 1, listeners: [host("new.example", { port })], spec: { allowedListeners: all } }),
    listenerSet({ listeners: [host("x.example", { port })] }),
  ];
  const it = outcomeOf(translate({ ...emptyInputs, snapshot: put(world, ...objects) }, sharing, fake));
  const shared = "and Gateways without addresses of their own share ports; the listener is not served";
  expect(it.sentences).toEqual([
    `other/set: spec.listeners[0].port: the older Gateway ns/gw has new.example on port ${port}, ${shared}`,
    `ns/set: spec.listeners[0].port: an older ListenerSet of another namespace has x.example on port ${port}, ${shared}`,
  ]);
  expect(it.gateway()).toMatchObject({ listeners: [good] });
  expect(it.set("other/set")).toMatchObject({ listeners: [{ Accepted: "PortUnavailable" }, good] });
});

test("a change of one set among a thousand leaves the statuses of the others the same values", () => {
  const sets = Array.from({ length: 1_000 }, (_, at) =>
    listenerSet({ name: `s${at}`, namespace: "other", listeners: [host(`h${at}.example`)] }),
  );
  const translator = new Translator(options, fake);
  const before = put(world, open(), ...sets);
  const first = translator.turn({ ...emptyInputs, snapshot: before });
  const changed = listenerSet({ name: "s7", namespace: "other", listeners: [host("new.example")] });
  const second = translator.turn({ ...emptyInputs, snapshot: put(before, changed) });
  expect(second.statuses.changesSince(first.statuses).map(({ key }) => key)).toEqual(["ListenerSet other/s7"]);
  const taken = listenerSet({ name: "s7", namespace: "other", listeners: [host("h3.example")] });
  const third = translator.turn({ ...emptyInputs, snapshot: put(before, taken) });
  expect(
    third.statuses
      .changesSince(second.statuses)
      .map(({ key }) => key)
      .sort(),
  ).toEqual(["Gateway ns/gw", "ListenerSet other/s7"]);
});

test("a set that nginx refuses keeps its last good listeners, without permissions that are gone", () => {
  const form = (port: number) => listenerSet({ namespace: "other", listeners: [host("set.example", { port })] });
  const [good, bad] = [form(81), form(82)];
  const closed = { ...gateway({}), metadata: { ...open().metadata, generation: 2 } };
  const refusal = (one: KubernetesObject) => ({ version: versionOf(one), why: "no" });
  const kept = { ...emptyLastGood, objects: Table.from<KubernetesObject>([["ListenerSet other/set", good]]) };
  const quarantine = { ...emptyQuarantine, objects: new Map([["ListenerSet other/set", refusal(bad)]]) };
  const translator = new Translator(options, fake);
  const first = translator.turn({ snapshot: put(world, open(), bad), lastGood: kept, quarantine });
  expect(first.lastGood.objects.get("ListenerSet other/set")).toBe(good);
  expect(outcomeOf(first).set("other/set")).toMatchObject({ Accepted: "Invalid", Programmed: true });
  expect(outcomeOf(first).gateway()).toMatchObject({ sets: 0, Accepted: true });
  expect([...first.configuration.listenerPorts.keys()].sort()).toEqual(["ns/gw:80", "ns/gw:81"]);

  // The Gateway permits no sets any more, in a form that nginx also refuses.
  const all = {
    snapshot: put(world, closed, bad),
    lastGood: { ...kept, objects: kept.objects.with([["Gateway ns/gw", open()]]) },
    quarantine: { ...quarantine, objects: new Map([...quarantine.objects, ["Gateway ns/gw", refusal(closed)]]) },
  };
  const second = translator.turn(all);
  expect(outcomeOf(second).set("other/set")?.listeners).toEqual([]);
  expect([...second.configuration.listenerPorts.keys()]).toEqual(["ns/gw:80"]);
});
