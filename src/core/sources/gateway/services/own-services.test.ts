/**
 * Gateways with a Service of their own: the Service that is wanted, the ports of nginx, and the
 * conditions.
 */
import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  namespace,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import type { Gateway } from "../../../model/gateway/objects.ts";
import { controllerAnnotation, managedByLabel, managedBySluice } from "../../../model/gateway/services.ts";
import type { ConfigMap, KubernetesObject, Service } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { defaultOptions, type GatewayOptions } from "../../../table/options.ts";
import { Translator, translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const services: NonNullable<GatewayOptions["services"]> = {
  ports: [20_000, 20_001],
  prefixes: ["team.example.com/", "cost"],
  record: "sluice/ports",
};
const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"], services } };
const world = put(emptySnapshot, gatewayClass(), namespace("ns"), serviceIn("ns", "web"));
const record = (data: Record<string, string> = { "20000": "used ns/gw-sluice 80/TCP gw" }): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "sluice", name: "ports" },
  data,
});
const parameters = (data: Record<string, string>): ConfigMap => ({
  ...record(data),
  metadata: { namespace: "ns", name: "parameters" },
});
const withParameters = { infrastructure: { parametersRef: { group: "", kind: "ConfigMap", name: "parameters" } } };

const ours = (spec: Service["spec"] = {}, ingress: object[] = [], uid = "gw"): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    namespace: "ns",
    name: "gw-sluice",
    labels: { [managedByLabel]: managedBySluice },
    annotations: { [controllerAnnotation]: options.gateway.controllerName },
    ownerReferences: [
      { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", name: "gw", uid, controller: true },
    ],
  },
  spec: { type: "LoadBalancer", ...spec },
  status: { loadBalancer: { ingress } },
});

function outcome(...objects: KubernetesObject[]) {
  const translation = translate({ ...emptyInputs, snapshot: put(world, ...objects) }, options, fake);
  const status = translation.statuses.get("Gateway ns/gw");
  if (status?.kind !== "Gateway") throw new Error("no status");
  const sentences = [...translation.problems.values()].flat().map(sentence);
  const condition = (type: string) => {
    const { status: is, reason, message } = status.conditions.find((one) => one.type === type)!;
    return [`${is} ${reason}`, message] as const;
  };
  return { ...translation, status, sentences, condition, ports: [...translation.configuration.listenerPorts.values()] };
}

test("a Gateway wants a Service, and nginx listens where the record says, as soon as it does", () => {
  const before = outcome(gateway({}));
  expect(before.status.service).toMatchObject({
    name: "gw-sluice",
    ports: [{ name: "port-80", port: 80, protocol: "TCP" }],
    labels: {
      "gateway.networking.k8s.io/gateway-name": "gw",
      "gateway.networking.k8s.io/gateway-class-name": "sluice",
      [managedByLabel]: managedBySluice,
    },
    parameters: { type: "LoadBalancer" },
  });
  expect([before.ports, before.sentences]).toEqual([[], []]);
  expect(before.condition("Programmed")[0]).toBe("False Pending");
  const { ports, condition } = outcome(gateway({}), record());
  expect(ports).toMatchObject([{ id: "ns/gw:80", address: undefined, listenPort: 20_000, port: 80 }]);
  expect(condition("Programmed")).toEqual(["False Pending", "the Service ns/gw-sluice waits for an address"]);
});

test("addresses are those of the load balancer, or else the Service's own", () => {
  const given = [{ ip: "198.51.100.7" }, { hostname: "lb.example.com" }];
  const balanced = outcome(gateway({}), record(), ours({}, given));
  expect(balanced.status.addresses).toEqual([
    { type: "IPAddress", value: "198.51.100.7" },
    { type: "Hostname", value: "lb.example.com" },
  ]);
  expect(balanced.condition("Programmed")[0]).toBe("True Programmed");
  const inside = outcome(gateway({}), record(), ours({ type: "ClusterIP", clusterIPs: ["10.0.0.7", "fd00::7"] }));
  expect(inside.status.addresses.map(({ value }) => value)).toEqual(["10.0.0.7", "fd00::7"]);
});

test("clients see the listener's port, and two Gateways with one port have different ports of nginx", () => {
  const other = gateway({ name: "other" });
  const both = { "20000": "used ns/gw-sluice 80/TCP gw", "20001": "used ns/other-sluice 80/TCP other" };
  const { ports } = outcome(gateway({}), other, record(both));
  expect(ports.map(({ id, listenPort, port }) => [id, listenPort, port]).sort()).toEqual([
    ["ns/gw:80", 20_000, 80],
    ["ns/other:80", 20_001, 80],
  ]);
});

test.each([
  ["another tenant's port", { "20000": "used ns/other-sluice 80/TCP other" }],
  ["a port of Sluice's own", { "10254": "used ns/gw-sluice 80/TCP gw" }],
  ["a port of Ingresses", { "80": "used ns/gw-sluice 80/TCP gw" }],
])("a Service that names %s has no effect on nginx", (_whose, data) => {
  const [named] = Object.keys(data).map(Number);
  const edited = ours({ ports: [{ port: 80, targetPort: named! }] }, [{ ip: "198.51.100.7" }]);
  const { ports, condition } = outcome(gateway({}), gateway({ name: "other" }), record(data), edited);
  expect(ports.filter(({ id }) => id.startsWith("ns/gw:"))).toEqual([]);
  expect(condition("Programmed")[0]).toBe("False Pending");
});

test.each([
  ["that a user made", { ...ours({}, [{ ip: "198.51.100.7" }]), metadata: { namespace: "ns", name: "gw-sluice" } }],
  ["of a Gateway of that name that has gone", ours({}, [{ ip: "198.51.100.7" }], "before")],
  [
    "of another controller",
    { ...ours(), metadata: { ...ours().metadata, annotations: { [controllerAnnotation]: "other.example/gateway" } } },
  ],
])("a Service %s gives no address, and a condition reports it", (_whose, foreign) => {
  const { status, condition } = outcome(gateway({}), record(), foreign as Service);
  expect(status.addresses).toEqual([]);
  const [reason, message] = condition("Programmed");
  expect(reason).toBe("False AddressNotAssigned");
  expect(message).toContain("Service ns/gw-sluice exists and was not made for this Gateway");
});

test("labels and annotations are copied under allowed prefixes only, and never in place of Sluice's own", () => {
  const infrastructure = {
    labels: { "team.example.com/a": "1", [managedByLabel]: "me", costs: "2" },
    annotations: {
      "team.example.com/b": "3",
      "team.example.com.evil.example/b": "4",
      "service.beta.kubernetes.io/aws-load-balancer-internal": "false",
      "cost.cloud.example/lb": "5",
      [controllerAnnotation]: "mine",
    },
  };
  const { status, sentences, condition } = outcome(gateway({ spec: { infrastructure } }));
  const { labels, annotations } = status.service!;
  expect(labels).toEqual({
    "team.example.com/a": "1",
    costs: "2",
    "gateway.networking.k8s.io/gateway-name": "gw",
    "gateway.networking.k8s.io/gateway-class-name": "sluice",
    [managedByLabel]: managedBySluice,
  });
  expect(annotations).toEqual({
    "team.example.com/b": "3",
    [controllerAnnotation]: options.gateway.controllerName,
    "sluice.dev/copied-from-gateway": "costs,team.example.com/a;team.example.com/b",
  });
  expect(sentences).toContainEqual(expect.stringContaining("service.beta.kubernetes.io/aws-load-balancer-internal"));
  expect(condition("Accepted")[0]).toBe("True Accepted");
});

test("parameters of the Gateway come before those of its class", () => {
  const classParameters = {
    ...parameters({ serviceType: "NodePort", externalTrafficPolicy: "Local" }),
    metadata: record().metadata,
  };
  const reference = { group: "", kind: "ConfigMap", name: "ports", namespace: "sluice" };
  const ofClass = { ...gatewayClass(), spec: { ...gatewayClass().spec, parametersRef: reference } };
  const own = parameters({ serviceType: "LoadBalancer", loadBalancerSourceRanges: "192.0.2.0/24, 2001:db8::1" });
  const { status } = outcome(ofClass, gateway({ spec: withParameters }), classParameters, own);
  expect(status.service?.parameters).toEqual({
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    loadBalancerSourceRanges: ["192.0.2.0/24", "2001:db8::1/128"],
  });
});

test.each([
  ["an unknown key", { externalIPs: "198.51.100.1" }],
  ["an invalid value", { serviceType: "ExternalName" }],
  ["an invalid range", { loadBalancerSourceRanges: "everyone" }],
  ["an invalid class", { loadBalancerClass: "a b" }],
  ["invalid families", { ipFamilies: "IPv4,IPv4" }],
])("with %s the Gateway keeps its present Service, and gets no new one", (_what, data) => {
  const served = [record(), ours({}, [{ ip: "198.51.100.7" }])];
  const { status, condition, ports } = outcome(gateway({ spec: withParameters }), parameters(data), ...served);
  expect(condition("Accepted")[0]).toBe("False InvalidParameters");
  expect(condition("Programmed")[0]).toBe("True Programmed");
  expect(ports).toHaveLength(1);
  expect(status.service?.parameters).toBeUndefined();
});

test("a requested address comes from the pool or not at all", () => {
  const asks = (value: string) => gateway({ spec: { addresses: [{ value }] } as Gateway["spec"] });
  const pooled = outcome(asks("192.0.2.10"));
  expect(pooled.status).toMatchObject({ addresses: [{ value: "192.0.2.10" }] });
  expect(pooled.status.service).toBeUndefined();
  const foreign = outcome(asks("203.0.113.9"));
  expect([foreign.status.addresses, foreign.status.service, foreign.ports]).toEqual([[], undefined, []]);
  expect(foreign.condition("Programmed")[0]).toBe("False AddressNotUsable");
  expect(outcome(asks("")).status.service).toMatchObject({ name: "gw-sluice" });
});

test("when ports have run out, a condition says so and the rest of the Gateway is served", () => {
  const two = gateway({ listeners: [listener({}), listener({ name: "more", port: 81 })] });
  const full = { "20000": "used ns/gw-sluice 80/TCP gw", "20001": "freed 2026-01-01T00:00:00Z", exhausted: "true" };
  const { condition, status, ports } = outcome(two, record(full), ours({}, [{ ip: "198.51.100.7" }]));
  const [reason, message] = condition("Programmed");
  expect(reason).toBe("False NoResources");
  expect(message).toContain("all 2 ports of --gateway-service-ports are in use");
  expect(message).toContain("port 81");
  const programmed = status.listeners.map(
    ({ conditions }) => conditions.find(({ type }) => type === "Programmed")?.status,
  );
  expect(programmed).toEqual(["True", "False"]);
  expect(ports.map(({ port }) => port)).toEqual([80]);
});

test("names fit into a Service and a label, however long the Gateway's name is", () => {
  const name = `${"long.".repeat(40)}gateway`;
  const named = { ...gateway({ name }), metadata: { ...gateway({}).metadata, name, uid: "long" } };
  const translation = translate({ ...emptyInputs, snapshot: put(world, named) }, options, fake);
  const status = translation.statuses.get(`Gateway ns/${name}`);
  const service = status?.kind === "Gateway" ? status.service : undefined;
  expect(service?.name).toMatch(/^[a-z]([a-z\d-]{0,61}[a-z\d])$/);
  expect(service?.labels["gateway.networking.k8s.io/gateway-name"]).toMatch(/^[a-z\d.-]{1,63}$/);
});

test("a turn with memory of earlier turns has the same result as one without", () => {
  const translator = new Translator(options, fake);
  const steps = [
    put(world, gateway({})),
    put(world, gateway({}), record()),
    put(world, gateway({}), record(), ours({}, [{ ip: "198.51.100.7" }])),
    put(world, gateway({}), record({})),
  ];
  for (const snapshot of steps) {
    const [one, other] = [
      translator.turn({ ...emptyInputs, snapshot }),
      translate({ ...emptyInputs, snapshot }, options, fake),
    ];
    expect([...one.configuration.listenerPorts]).toEqual([...other.configuration.listenerPorts]);
    expect([...one.statuses]).toEqual([...other.statuses]);
  }
});

test("without the flag no status mentions Services", () => {
  const without = { ...options, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] } };
  const { statuses } = translate({ ...emptyInputs, snapshot: put(world, gateway({}), record()) }, without, fake);
  const status = statuses.get("Gateway ns/gw");
  expect(status).not.toHaveProperty("service");
  expect(status).toMatchObject({ addresses: [{ value: "192.0.2.10" }] });
});

test("a ListenerSet whose port has no port of nginx waits alone, also when none is left", () => {
  const open = gateway({ spec: { allowedListeners: { namespaces: { from: "All" } } } });
  const set = listenerSet({
    listeners: [listener({ name: "in", hostname: "in.example" }), listener({ name: "out", port: 81 })],
  });
  const address = [{ ip: "198.51.100.1" }];
  const only = { "20000": "used ns/gw-sluice 80/TCP gw" };
  for (const data of [only, { ...only, exhausted: "true" }]) {
    const { statuses, condition } = outcome(open, set, record(data), ours({}, address));
    expect(condition("Programmed")[0]).toBe("True Programmed");
    const status = statuses.get("ListenerSet ns/set");
    if (status?.kind !== "ListenerSet") throw new Error("no status of the set");
    const programmed = status.listeners.map(({ conditions }) => {
      const { status: is, reason } = conditions.find(({ type }) => type === "Programmed")!;
      return `${is} ${reason}`;
    });
    expect(programmed).toEqual(["True Programmed", "False Pending"]);
  }
});
