/**
 * Draws random Ingresses as plain values, from which parts can be dropped. A family is a domain
 * with its own Ingresses and Services, so that many families fit on one nginx.
 */
import type { Ingress, KubernetesObject } from "../../../src/core/model/objects.ts";
import { ingress } from "../../support/sketch.ts";
import type { Draws } from "../draws.ts";
import { annotationsFrom, canaryAnnotations } from "./values.ts";

export interface PathSketch {
  readonly path: string;
  readonly pathType: string;
  /** The name of the Service, without that of the family. */
  readonly service: string;
  readonly port: number;
}

export interface RuleSketch {
  /** The host; undefined for all hosts. */
  readonly host: string | undefined;
  readonly paths: readonly PathSketch[];
}

export interface IngressSketch {
  readonly family: string;
  readonly namespace: string;
  /** The age of the Ingress; a larger one is older. */
  readonly age: number;
  readonly rules: readonly RuleSketch[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly tls: boolean;
  /** The Service of `spec.defaultBackend`; empty for none. */
  readonly defaultBackend: string;
}

export const namespaces = ["ns", "other"] as const;
/**
 * Services, each with the last byte of its endpoint's address. `none` has no endpoint, and
 * `missing` is not there.
 */
export const services: Readonly<Record<string, number>> = { a: 11, b: 12, c: 13, errors: 30, none: 0 };

const plainPaths = ["/", "/a", "/a/", "/a/b", "/ab", "/a.c", "/A", "/d e", "/a+b", "/%41", "/a/b/c"];
const patterns = ["/x(/.*)?", "/a(/|$)(.*)", "/(.*)", "/[ab]+/c", "/api/v[0-9]+", "/a.b", "/p|/q"];

/** Hosts of a family. */
export const hostsOf = (family: string): readonly string[] => [
  family,
  `www.${family}`,
  `sub.${family}`,
  `*.${family}`,
  `x.sub.${family}`,
  `*.sub.${family}`,
];

export function familyFrom(draw: Draws, family: string): readonly IngressSketch[] {
  const own = Array.from({ length: draw.of([1, 1, 2, 2, 3, 4]) }, () => ingressFrom(draw, family));
  const canaries = own.flatMap((main) => (draw.below(5) === 0 ? [canaryOf(draw, main)] : []));
  return [...own, ...canaries].map((one, at, all) => ({ ...one, age: all.length - at }));
}

function ingressFrom(draw: Draws, family: string): IngressSketch {
  const annotations = annotationsFrom(draw);
  const isPattern = annotations["use-regex"] === "true" || "rewrite-target" in annotations;
  const speaksTls = annotations["backend-protocol"]?.trim().endsWith("S") === true;
  const port = speaksTls && draw.below(4) > 0 ? 443 : 80;
  const hosts = [family, family, ...hostsOf(family)];
  const rules = Array.from({ length: draw.of([1, 1, 1, 2]) }, () => ({
    host: draw.below(30) === 0 ? undefined : draw.of(hosts),
    paths: Array.from({ length: 1 + draw.below(3) }, () => pathFrom(draw, isPattern, port)),
  }));
  return {
    ...{ family, namespace: draw.of(["ns", "ns", "ns", "other"]), age: 0, rules, tls: draw.below(3) === 0 },
    defaultBackend: draw.below(20) === 0 ? "b" : "",
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, text]) => [key, text.replaceAll("FAMILY", family)]),
    ),
  };
}

function pathFrom(draw: Draws, isPattern: boolean, port: number): PathSketch {
  const path = isPattern && draw.below(3) > 0 ? draw.of(patterns) : draw.of(plainPaths);
  const isLiteral = !/[()[\]|?*]/.test(path);
  const pathType = draw.of(isLiteral ? ["Prefix", "Prefix", "Exact", "ImplementationSpecific"] : [specific]);
  return { path, pathType, port, service: draw.of(["a", "a", "a", "b", "b", "c", "none", ...rarely(draw)]) };
}

const specific = "ImplementationSpecific";
const rarely = (draw: Draws): string[] => (draw.below(6) === 0 ? ["missing"] : []);

/** Draws a canary with a rule of the main Ingress and another Service. */
function canaryOf(draw: Draws, main: IngressSketch): IngressSketch {
  const rules = [draw.of(main.rules)].map((rule) => ({
    ...rule,
    paths: rule.paths.map((path) => ({ ...path, service: draw.of(["b", "c", "none"]) })),
  }));
  return { ...main, rules, tls: false, defaultBackend: "", annotations: canaryAnnotations(draw) };
}

export function objectsOf(sketches: readonly IngressSketch[]): readonly Ingress[] {
  return sketches.map(({ family, namespace, age, rules, annotations, tls, defaultBackend }, at) => {
    const name = `${family.split(".")[0]}-${at}`;
    const backend = (service: string, port: number) => ({
      service: { name: nameIn(family, service), port: { number: port } },
    });
    const hosts = rules.flatMap(({ host }) => host ?? []);
    const spec = {
      ingressClassName: "nginx",
      ...(tls ? { tls: [{ hosts, secretName: "tls" }] } : {}),
      ...(defaultBackend === "" ? {} : { defaultBackend: backend(defaultBackend, 80) }),
      rules: rules.map(({ host, paths }) => ({
        ...(host === undefined ? {} : { host }),
        http: {
          paths: paths.map(({ path, pathType, service, port }) => ({
            path,
            pathType: pathType as "Prefix",
            backend: backend(service, port),
          })),
        },
      })),
    };
    const named = Object.entries(annotations).map(([key, text]) => {
      const isOwn = key === "default-backend" && text in services;
      return [key, isOwn ? nameIn(family, text) : text] as const;
    });
    return ingress({ name, namespace, age, annotations: Object.fromEntries(named), spec });
  });
}

/**
 * Returns the full name of a Service. Families do not share Services, because the annotations of
 * all Ingresses of a Service affect it.
 */
const nameIn = (family: string, service: string): string => `${service}-${family.split(".")[0]}`;

export function servicesOf(family: string): readonly KubernetesObject[] {
  return namespaces.flatMap((namespace) =>
    Object.entries(services).flatMap(([service, last]) => {
      const name = nameIn(family, service);
      return [
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name, namespace },
          spec: {
            ports: [
              { name: "http", port: 80, targetPort: 8080 },
              { name: "https", port: 443, targetPort: 8443 },
            ],
          },
        },
        {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: { name: `${name}-1`, namespace, labels: { "kubernetes.io/service-name": name } },
          addressType: "IPv4",
          ports: [
            { name: "http", port: 8080, protocol: "TCP" },
            { name: "https", port: 8443, protocol: "TCP" },
          ],
          endpoints: last === 0 ? [] : [{ addresses: [`192.0.2.${last}`], conditions: { ready: true } }],
        },
      ] as unknown as KubernetesObject[];
    }),
  );
}
