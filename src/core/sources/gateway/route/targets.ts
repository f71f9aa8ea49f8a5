/**
 * Finds the Service and port to which a reference of a route leads, or the reason why it leads to
 * none.
 */

import type { BackendTls } from "../../../model/backend-tls.ts";
import type { BackendProtocol } from "../../../model/filters.ts";
import { type BackendReference, gatewayGroup } from "../../../model/gateway/objects.ts";
import { missing, noGrant, wrongKind } from "../../../model/missing.ts";
import type { Service, ServicePort } from "../../../model/objects.ts";
import { own } from "../../../model/own.ts";
import { type Mistake, named, type ObjectName, sentence } from "../../../model/problem.ts";
import type { UnknownField } from "../../../table/unknown-fields.ts";
import type { Capability } from "../../../tokens/capabilities.ts";
import type { BrokenPolicy, PolicyReading } from "../backend-tls/policy.ts";
import type { Grants } from "../grants.ts";
import type { HeaderSettings } from "./never-fulfilled.ts";

export interface BackendWorld {
  readonly object: ObjectName & { readonly namespace: string };
  /** The fields of the route that Sluice does not know. */
  readonly unknown: readonly UnknownField[];
  readonly grants: Grants;
  /** Returns a Service. It is called only for Services that the route may use. */
  service(key: string): Service | undefined;
  /** Returns the BackendTLSPolicy that governs the port of this name; undefined if none does. */
  policy(service: string, port: string | undefined): PolicyReading | undefined;
  /** Whether there are RouteSettings with this `namespace/name`. */
  hasSettings(key: string): boolean;
  /** Whether these RouteSettings redirect all requests, so that no backend gets any. */
  redirects(key: string): boolean;
  /** Capabilities that this nginx lacks. */
  readonly lacks: ReadonlySet<Capability>;
  /** Whether clients may connect by HTTP/2. */
  readonly useHttp2: boolean;
  readonly headerSettings: HeaderSettings;
  /**
   * The protocol towards the backend, by `appProtocol` of the port; that of HTTPRoutes if it is
   * absent.
   */
  readonly protocols?: Readonly<Record<string, BackendProtocol>>;
  /** The status of requests that cannot be served; 500 if absent. */
  readonly refusal?: string;
  /**
   * The time at which requests are copied, if that is not before they are sent on. With `none`,
   * mirrors are left out.
   */
  readonly copies?: "late" | "none";
}

export function refusalOf({ refusal = "500" }: BackendWorld): string {
  return refusal;
}

const httpProtocols: Readonly<Record<string, BackendProtocol>> = {
  http: "http",
  https: "https",
  "kubernetes.io/h2c": "h2c",
  "kubernetes.io/ws": "http",
  "kubernetes.io/wss": "https",
};

/** The protocols by `appProtocol` for calls of gRPC. */
export const grpcProtocols: Readonly<Record<string, BackendProtocol>> = {
  "": "h2c",
  grpc: "h2c",
  http: "h2c",
  "kubernetes.io/h2c": "h2c",
  grpcs: "grpcs",
  https: "grpcs",
};

export type Target =
  | {
      readonly key: string;
      readonly port: number;
      readonly protocol: BackendProtocol | undefined;
      readonly tls: BackendTls | undefined;
      /** The policy that governs it, if that is unusable. */
      readonly broken: BrokenPolicy | undefined;
    }
  | NoTarget;

export function targetOf(reference: BackendReference, world: BackendWorld): Target {
  const { policy, protocols = httpProtocols } = world;
  const found = serviceTargetOf(reference, world, "TCP");
  if ("mistake" in found) return found;
  const { key, declared } = found;
  const { port, appProtocol = "" } = declared;
  const protocol = own(protocols, appProtocol.toLowerCase());
  const governing = policy(key, declared.name);
  if (appProtocol !== "" && protocol === undefined && governing === undefined) {
    const why = `port ${port} of Service ${key} has the appProtocol ${appProtocol}, which is not one of ${Object.keys(protocols).filter(Boolean).join(", ")}`;
    return { reason: "UnsupportedProtocol", part: "", mistake: { kind: "value-unsupported", why } };
  }
  const broken = governing?.invalid === undefined ? undefined : governing;
  return { key, port, protocol, tls: governing?.tls, broken };
}

export function whyBroken({ object, invalid: { problem } }: BrokenPolicy): Mistake {
  return {
    kind: "reference-unusable",
    why: `names a Service whose ${named(object)} cannot be followed: ${sentence(problem)}`,
    follows: [problem],
  };
}

export type ServiceTarget = { readonly key: string; readonly declared: ServicePort } | NoTarget;

/** The reason why a reference leads to no Service. `part` is the wrong part of its field. */
interface NoTarget {
  readonly reason: string;
  readonly part: string;
  readonly mistake: Mistake;
}

/** Finds the port of a Service that a route names; it must have this protocol. */
export function serviceTargetOf(
  reference: BackendReference,
  { object, grants, service }: BackendWorld,
  transport: "TCP" | "UDP",
): ServiceTarget {
  const { group = "", kind = "Service", name, port } = reference;
  if (group !== "" || kind !== "Service") {
    return { reason: "InvalidKind", part: "", mistake: wrongKind({ group, kind }, "Service") };
  }
  const namespace = reference.namespace ?? object.namespace;
  const key = `${namespace}/${name}`;
  const from = { group: gatewayGroup, kind: object.kind, namespace: object.namespace };
  if (!grants.permits({ from, to: { group, kind, namespace, name } })) {
    const why = noGrant(object, { kind, namespace, name });
    return { reason: "RefNotPermitted", part: "", mistake: { kind: "reference-forbidden", why } };
  }
  const found = service(key);
  if (found === undefined) return { reason: "BackendNotFound", part: "", mistake: missing("Service", key) };
  if (found.spec?.type === "ExternalName") {
    const why = `Service ${key} is of type ExternalName, which the Gateway API asks not to serve, because no ReferenceGrant guards where it leads`;
    return { reason: "InvalidKind", part: "", mistake: { kind: "value-unsupported", why } };
  }
  const noPort = (part: string, why: string): NoTarget => {
    return { reason: "BackendNotFound", part, mistake: { kind: "reference-unusable", why } };
  };
  if (port === undefined) return noPort("", `names no port of Service ${key}`);
  const declared = found.spec?.ports?.find((one) => one.port === port && (one.protocol ?? "TCP") === transport);
  if (declared === undefined) {
    const which = transport === "TCP" ? "" : `${transport} `;
    return noPort(".port", `Service ${key} has no ${which}port ${port}`);
  }
  return { key, declared };
}

/** Returns the Services that the backends name, whether or not they may use them. */
export function servicesNamed(references: readonly BackendReference[], home: string): string[] {
  return references.map(({ namespace = home, name }) => `${namespace}/${name}`);
}
