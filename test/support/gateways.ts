/** Small objects of the Gateway API for tests; everything is in the namespace `ns`. */
import type { BackendTLSPolicy } from "../../src/core/model/gateway/backend-tls-policy.ts";
import type { ListenerSet } from "../../src/core/model/gateway/listener-set.ts";
import {
  type Gateway,
  type GatewayClass,
  type GatewayListener,
  gatewayGroup,
  type HTTPRoute,
  type ParentReference,
  type ReferenceGrant,
} from "../../src/core/model/gateway/objects.ts";
import type { RouteSettings } from "../../src/core/model/gateway/route-settings.ts";
import type { GRPCRoute } from "../../src/core/model/gateway/routes.ts";
import type { ConfigMap, Namespace, Service } from "../../src/core/model/objects.ts";
import { defaultOptions, type TranslateOptions } from "../../src/core/table/options.ts";

const apiVersion = `${gatewayGroup}/v1`;

/** Options with which Gateways have two addresses of a pool. */
export const pooled: TranslateOptions = {
  ...defaultOptions,
  gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10", "192.0.2.11"] },
};

/**
 * Returns the conditions by type: true if the condition holds for its usual reason, otherwise its
 * reason.
 */
export function shortConditions(
  conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[],
): Record<string, string | true> {
  return Object.fromEntries(
    conditions.map(({ type, status, reason }) => [type, status === "True" && reason === type ? true : reason]),
  );
}

function born(age: number): string {
  return new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString();
}

export function gatewayClass(name = "sluice", controllerName = "sluice.dev/gateway-controller"): GatewayClass {
  return { apiVersion, kind: "GatewayClass", metadata: { name }, spec: { controllerName } };
}

export function listener(one: Partial<GatewayListener>): GatewayListener {
  return { name: "http", port: 80, protocol: "HTTP", ...one };
}

export interface GatewaySketch {
  readonly name?: string;
  readonly age?: number;
  readonly listeners?: readonly GatewayListener[];
  readonly spec?: Gateway["spec"];
  readonly status?: NonNullable<Gateway["status"]>;
}

export function gateway({ name = "gw", age = 5, listeners = [listener({})], spec, status }: GatewaySketch): Gateway {
  return {
    apiVersion,
    kind: "Gateway",
    metadata: { name, namespace: "ns", uid: name, creationTimestamp: born(age) },
    spec: { gatewayClassName: "sluice", listeners, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

export interface SetSketch {
  readonly name?: string;
  readonly namespace?: string;
  readonly age?: number;
  readonly gateway?: string;
  readonly listeners?: readonly GatewayListener[];
}

/** Makes a ListenerSet for a Gateway of the namespace `ns`. */
export function listenerSet({
  name = "set",
  namespace: home = "ns",
  age = 0,
  gateway: parent = "gw",
  listeners = [listener({ hostname: "set.example" })],
}: SetSketch): ListenerSet {
  return {
    apiVersion,
    kind: "ListenerSet",
    metadata: { name, namespace: home, uid: `${home}-${name}`, creationTimestamp: born(age) },
    spec: { parentRef: { name: parent, namespace: "ns" }, listeners },
  };
}

export interface RouteSketch {
  readonly name?: string;
  readonly namespace?: string;
  readonly age?: number;
  readonly parent?: Partial<ParentReference>;
  readonly hostnames?: readonly string[];
  readonly rules?: readonly object[];
}

const toWeb = [{ backendRefs: [{ name: "web", port: 80 }] }];

export function route({
  name = "route",
  namespace: home = "ns",
  age = 0,
  parent = {},
  hostnames,
  rules = toWeb,
}: RouteSketch): HTTPRoute {
  return {
    apiVersion,
    kind: "HTTPRoute",
    metadata: { name, namespace: home, uid: `${home}-${name}`, creationTimestamp: born(age) },
    spec: {
      parentRefs: [{ name: "gw", namespace: "ns", ...parent }],
      ...(hostnames === undefined ? {} : { hostnames }),
      rules: rules as NonNullable<HTTPRoute["spec"]>["rules"] & object,
    },
  };
}

export function grpcRoute({ name = "calls", ...sketch }: RouteSketch): GRPCRoute {
  const { metadata, spec } = route({ name, ...sketch });
  return { apiVersion, kind: "GRPCRoute", metadata, spec } as GRPCRoute;
}

export interface GrantSketch {
  readonly namespace: string;
  readonly from: string;
  readonly to: string;
  readonly name?: string;
}

/** Makes a ReferenceGrant for objects of the namespace `ns`. */
export function grant({ namespace: home, from, to, name }: GrantSketch): ReferenceGrant {
  return {
    apiVersion,
    kind: "ReferenceGrant",
    metadata: { name: `to-${to.toLowerCase()}`, namespace: home },
    spec: {
      from: [{ group: gatewayGroup, kind: from, namespace: "ns" }],
      to: [{ group: "", kind: to, ...(name === undefined ? {} : { name }) }],
    },
  };
}

export function namespace(name: string, labels: Readonly<Record<string, string>> = {}): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

export function serviceIn(home: string, name: string, port: object = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: home },
    spec: { ports: [{ port: 80, ...port }] },
  };
}

export interface PolicySketch {
  readonly name?: string;
  readonly age?: number;
  readonly service?: string;
  readonly section?: string;
  readonly spec?: BackendTLSPolicy["spec"];
  readonly validation?: NonNullable<BackendTLSPolicy["spec"]>["validation"];
}

/** Makes a BackendTLSPolicy with the authorities of the ConfigMap `ca`. */
export function backendTLSPolicy({
  name = "policy",
  age = 0,
  service = "web",
  section,
  spec,
  validation,
}: PolicySketch): BackendTLSPolicy {
  const target = { group: "", kind: "Service", name: service };
  return {
    apiVersion,
    kind: "BackendTLSPolicy",
    metadata: { name, namespace: "ns", uid: name, creationTimestamp: born(age) },
    spec: {
      targetRefs: [section === undefined ? target : { ...target, sectionName: section }],
      validation: {
        hostname: "web.example",
        caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
        ...validation,
      },
      ...spec,
    },
  };
}

export interface SettingsSketch {
  readonly name?: string;
  readonly namespace?: string;
  readonly age?: number;
  /** The targets: kind, name and, for a part of an object, the name of the part. */
  readonly to?: readonly (readonly [kind: string, name: string, section?: string])[];
  readonly values?: Readonly<Record<string, unknown>>;
}

export function routeSettings({
  name = "settings",
  namespace: home = "ns",
  age = 0,
  to,
  values = {},
}: SettingsSketch): RouteSettings {
  const targetRefs = to?.map(([kind, target, sectionName]) => ({
    group: gatewayGroup,
    kind,
    name: target,
    ...(sectionName === undefined ? {} : { sectionName }),
  }));
  return {
    apiVersion: "sluice.dev/v1alpha1",
    kind: "RouteSettings",
    metadata: { name, namespace: home, uid: `${home}-${name}`, creationTimestamp: born(age) },
    spec: { ...values, ...(targetRefs === undefined ? {} : { targetRefs }) },
  };
}

/** Makes the filter of a rule that names RouteSettings. */
export const bySettings = (name = "settings") => ({
  type: "ExtensionRef",
  extensionRef: { group: "sluice.dev", kind: "RouteSettings", name },
});

export function authorities(name: string, pem: string | undefined): ConfigMap {
  const data = pem === undefined ? {} : { "ca.crt": pem };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "ns" }, data };
}
