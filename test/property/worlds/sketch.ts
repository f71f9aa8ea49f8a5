/**
 * A random world as plain values, from which parts can be dropped: Ingresses, HTTPRoutes, and the
 * listeners of two Gateways. `ns/gw` shares the ports of Ingresses, and `ns/apart` has an address
 * of its own. The objects depend on nothing else, so a seed gives the same world at each commit.
 */
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { gateway, gatewayClass, listener, namespace, route } from "../../support/gateways.ts";
import { ingress, ingressClass } from "../../support/ingress.ts";

export const namespaces = ["ns", "other", "third"] as const;

export interface Sketch {
  /** Hostnames of the listeners, empty for all hosts, by their names, such as `gw-https-0`. */
  readonly listeners: readonly ListenerSketch[];
  readonly ingresses: readonly IngressSketch[];
  readonly routes: readonly RouteSketch[];
}

export interface ListenerSketch {
  readonly gateway: "gw" | "apart";
  readonly tls: boolean;
  readonly hostname: string;
  /** The names of its certificates. */
  readonly pairs: readonly string[];
}

interface ObjectSketch {
  readonly name: string;
  readonly namespace: string;
  /** A larger age is older. */
  readonly age: number;
}

export interface IngressSketch extends ObjectSketch {
  /** Empty texts stand for all hosts. */
  readonly hosts: readonly string[];
  readonly paths: readonly { readonly path: string; readonly type: string; readonly to: string }[];
  readonly annotations: Readonly<Record<string, string>>;
  /** The name of a certificate of all hosts; `nothing` if the entry names no Secret. */
  readonly tls?: string;
  readonly defaultBackend?: string;
}

export interface RouteSketch extends ObjectSketch {
  readonly parents: readonly { readonly name: string; readonly sectionName?: string }[];
  readonly hostnames: readonly string[];
  readonly rules: readonly RuleSketch[];
  readonly weight?: string;
}

export interface RuleSketch {
  readonly matches: readonly object[];
  readonly backends: readonly { readonly name: string; readonly weight: number }[];
  /** Whether it has a CORS filter. */
  readonly answersPreflights?: boolean;
  /** What replaces the prefix of its paths. */
  readonly rewrite?: string;
}

/** The ports of the Gateway `ns/apart`, without TLS and with it. */
export const apartPorts = { http: 18_850, https: 18_851 } as const;
/** Its address. */
const apartAddress = "127.102.0.1";

export function objectsOf({ listeners, ingresses, routes }: Sketch): readonly KubernetesObject[] {
  return [
    gatewayClass(),
    ingressClass as KubernetesObject,
    ...namespaces.map((name) => namespace(name)),
    ...(["gw", "apart"] as const).flatMap((name) => gatewayOf(name, listeners)),
    ...ingresses.map(ingressOf),
    ...routes.map(routeOf),
  ];
}

function gatewayOf(name: "gw" | "apart", all: readonly ListenerSketch[]): readonly KubernetesObject[] {
  const own = all.filter((one) => one.gateway === name);
  if (own.length === 0) return [];
  const ports = name === "gw" ? { http: 80, https: 443 } : apartPorts;
  const listeners = own.map(({ tls, hostname, pairs }, at) =>
    listener({
      name: `l${at}`,
      port: ports[tls ? "https" : "http"],
      protocol: tls ? "HTTPS" : "HTTP",
      ...(hostname === "" ? {} : { hostname }),
      ...(tls ? { tls: { certificateRefs: pairs.map((pair) => ({ name: pair })) } } : {}),
      allowedRoutes: { namespaces: { from: "All" } },
    }),
  );
  const addresses = name === "gw" ? {} : { addresses: [{ type: "IPAddress", value: apartAddress }] };
  return [gateway({ name, listeners, spec: { ...addresses } })];
}

const born = (age: number): string => new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString();

function ingressOf(one: IngressSketch): KubernetesObject {
  const { name, namespace: home, age, hosts, paths, annotations, tls, defaultBackend } = one;
  const backend = (to: string) => ({ service: { name: to, port: { number: 80 } } });
  const http = {
    paths: paths.map(({ path, type, to }) => ({ path, pathType: type as "Prefix", backend: backend(to) })),
  };
  return ingress({
    ...{ name, namespace: home, annotations, metadata: { creationTimestamp: born(age) } },
    spec: {
      ingressClassName: "nginx",
      ...(tls === undefined
        ? {}
        : { tls: [{ hosts: hosts.filter((host) => host !== ""), ...(tls === "nothing" ? {} : { secretName: tls }) }] }),
      ...(defaultBackend === undefined ? {} : { defaultBackend: backend(defaultBackend) }),
      rules: hosts.map((host) => ({ ...(host === "" ? {} : { host }), http })),
    },
  });
}

function rewriteTo(replacePrefixMatch: string): object {
  return { type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch } } };
}

function routeOf({ parents, rules, weight, ...sketch }: RouteSketch): KubernetesObject {
  const written = rules.map(({ matches, backends, answersPreflights, rewrite }) => ({
    ...(matches.length === 0 ? {} : { matches }),
    filters: [
      ...(answersPreflights === true ? [{ type: "CORS", cors: { allowOrigins: ["*"] } }] : []),
      ...(rewrite === undefined ? [] : [rewriteTo(rewrite)]),
    ],
    backendRefs: backends.map(({ name, weight: share }) => ({ name, port: 80, weight: share })),
  }));
  const { metadata, spec, ...rest } = route({ ...sketch, rules: written });
  const parentRefs = parents.map((parent) => ({ namespace: "ns", ...parent }));
  const annotations = weight === undefined ? {} : { annotations: { "sluice.dev/weight": weight } };
  return { ...rest, metadata: { ...metadata, ...annotations }, spec: { ...spec, parentRefs } } as KubernetesObject;
}
