/**
 * Finds the backends of a rule: the Service and port of each, and the reason if it cannot be
 * used.
 */
import type { Capability } from "../../../directives/capabilities.ts";
import type { BackendTls } from "../../../model/backend-tls.ts";
import type { BackendProtocol, CopyWay, Mirror } from "../../../model/filters.ts";
import {
  type BackendReference,
  gatewayGroup,
  type HTTPBackendReference,
  type HTTPRouteFilter,
} from "../../../model/gateway/objects.ts";
import type { Service, ServicePort } from "../../../model/objects.ts";
import { own } from "../../../model/own.ts";
import { named, type ObjectName, type Problem, sentence } from "../../../problem.ts";
import type { ClaimedBackend } from "../../claim.ts";
import type { PolicyReading } from "../backend-tls/policy.ts";
import type { Fault } from "../conditions.ts";
import type { Grants } from "../grants.ts";
import { type FiltersRead, filtersOf } from "./filters.ts";
import type { HeaderSettings } from "./never-fulfilled.ts";

export interface BackendWorld {
  readonly object: ObjectName & { readonly namespace: string };
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

export interface BackendsRead {
  readonly backends: readonly ClaimedBackend[];
  readonly faults: readonly Fault[];
  /** Faults of their filters, which are mistakes in values and not in references. */
  readonly invalid: readonly Fault[];
  /** Reasons why policies of backends are unusable, which is not a mistake of the route. */
  readonly notes: readonly Problem[];
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

/**
 * The suffix of an Upstream's id for routes, because annotations decide how Ingresses balance
 * theirs.
 */
const ofRoutes = "for routes";

export const upstreamFor = (key: string, port: number): string => `${key}/${port} ${ofRoutes}`;

/**
 * Reads the backends of a rule. `field` is that of the rule. The list is never empty: if the
 * rule names no backend, it has one that cannot be used.
 */
export function backendsOf(
  references: readonly HTTPBackendReference[],
  field: string,
  prefix: string | undefined,
  world: BackendWorld,
): BackendsRead {
  const { object } = world;
  if (references.length === 0) {
    const why = "names no backend";
    const done = `its requests get ${refusalOf(world)}`;
    return {
      backends: [unusable("backendRefs", { object, kind: "field-unusable", field: `${field}.backendRefs`, why, done })],
      faults: [],
      invalid: [],
      notes: [],
    };
  }
  const faults: Fault[] = [];
  const invalid: Fault[] = [];
  const notes: Problem[] = [];
  const backends = references.map((reference, at): ClaimedBackend => {
    const part = `backendRefs[${at}]`;
    const { weight = 1, filters = [] } = reference;
    const read = ofBackend(filtersOf(filters, prefix), filters);
    const problem = (where: string, why: string): Problem => {
      const done = `its share of the requests gets ${refusalOf(world)}`;
      return { object, kind: "field-unusable", field: `${field}.${part}${where}`, why, done };
    };
    if (!read.ok) {
      invalid.push({ reason: read.reason, problem: problem(`.filters${read.part}`, read.why) });
      return { ...unusable(part, invalid.at(-1)!.problem), weight };
    }
    const found = targetOf(reference, world);
    if ("why" in found) {
      faults.push({ reason: found.reason, problem: problem(found.part, found.why) });
      return { ...unusable(part, faults.at(-1)!.problem), weight };
    }
    if (found.broken !== undefined) {
      notes.push(problem("", whyBroken(found.broken)));
      return { ...unusable(part, notes.at(-1)!), weight };
    }
    const { key, port, protocol, tls } = found;
    const { mirrors, faults: ofMirrors } = mirrorsOf(filters, `${field}.${part}.filters`, world);
    faults.push(...ofMirrors);
    const own = mirrors.length === 0 ? read.filters : { ...read.filters, mirrors };
    return {
      part,
      upstream: upstreamFor(key, port),
      key,
      service: reference.name,
      port: String(port),
      weight,
      ...(protocol === undefined ? {} : { protocol }),
      ...(tls === undefined ? {} : { tls }),
      ...(own === undefined ? {} : { filters: own }),
    };
  });
  return { backends, faults, invalid, notes };
}

/** Filters whose answer, or whose guard, belongs to a whole rule. */
const forRules = ["ExternalAuth", "ExtensionRef", "RequestRedirect", "CORS"];

/**
 * Refuses filters of a single backend that would answer or guard only some of a rule's requests. No
 * filter may be skipped, so the backend's share of the requests is refused.
 */
function ofBackend(read: FiltersRead, filters: readonly HTTPRouteFilter[]): FiltersRead {
  const at = filters.findIndex(({ type }) => forRules.includes(type));
  if (!read.ok || at < 0) return read;
  const why = `${filters[at]!.type} is served for rules alone`;
  return { ok: false, reason: "UnsupportedValue", part: `[${at}].type`, why };
}

export function unusable(part: string, problem: Problem): ClaimedBackend {
  return { part, upstream: "", key: "", service: "", port: "", weight: 1, unusable: problem };
}

type Target =
  | {
      readonly key: string;
      readonly port: number;
      readonly protocol: BackendProtocol | undefined;
      readonly tls: BackendTls | undefined;
      /** The policy that governs it, if that is unusable. */
      readonly broken: PolicyReading | undefined;
    }
  | { readonly reason: string; readonly part: string; readonly why: string };

export function targetOf(reference: BackendReference, world: BackendWorld): Target {
  const { policy, protocols = httpProtocols } = world;
  const found = serviceTargetOf(reference, world, "TCP");
  if ("why" in found) return found;
  const { key, declared } = found;
  const { port, appProtocol = "" } = declared;
  const protocol = own(protocols, appProtocol.toLowerCase());
  const governing = policy(key, declared.name);
  if (appProtocol !== "" && protocol === undefined && governing === undefined) {
    const why = `port ${port} of Service ${key} has the appProtocol ${appProtocol}, which is not one of ${Object.keys(protocols).filter(Boolean).join(", ")}`;
    return { reason: "UnsupportedProtocol", part: "", why };
  }
  const { tls } = governing ?? {};
  return { key, port, protocol, tls, broken: tls === undefined ? governing : undefined };
}

export function whyBroken({ object, invalid }: PolicyReading): string {
  return `names a Service whose ${named(object)} cannot be followed: ${invalid === undefined ? "" : sentence(invalid.problem)}`;
}

export type ServiceTarget =
  | { readonly key: string; readonly declared: ServicePort }
  | { readonly reason: string; readonly part: string; readonly why: string };

/** Finds the port of a Service that a route names; it must have this protocol. */
export function serviceTargetOf(
  reference: BackendReference,
  { object, grants, service }: BackendWorld,
  transport: "TCP" | "UDP",
): ServiceTarget {
  const { group = "", kind = "Service", name, port } = reference;
  if (group !== "" || kind !== "Service") {
    return { reason: "InvalidKind", part: "", why: `names a ${group === "" ? "" : `${group} `}${kind}, not a Service` };
  }
  const namespace = reference.namespace ?? object.namespace;
  const key = `${namespace}/${name}`;
  const from = { group: gatewayGroup, kind: object.kind, namespace: object.namespace };
  if (!grants.permits({ from, to: { group, kind, namespace, name } })) {
    const why = `no ReferenceGrant of namespace ${namespace} permits ${object.kind}s of namespace ${object.namespace} to use Service ${key}`;
    return { reason: "RefNotPermitted", part: "", why };
  }
  const found = service(key);
  if (found === undefined) return { reason: "BackendNotFound", part: "", why: `Service ${key} not found` };
  if (found.spec?.type === "ExternalName") {
    const why = `Service ${key} is of type ExternalName, which the Gateway API asks not to serve, because no ReferenceGrant guards where it leads`;
    return { reason: "InvalidKind", part: "", why };
  }
  if (port === undefined) return { reason: "BackendNotFound", part: "", why: `names no port of Service ${key}` };
  const declared = found.spec?.ports?.find((one) => one.port === port && (one.protocol ?? "TCP") === transport);
  if (declared === undefined) {
    const which = transport === "TCP" ? "" : `${transport} `;
    return { reason: "BackendNotFound", part: ".port", why: `Service ${key} has no ${which}port ${port}` };
  }
  return { key, declared };
}

export interface MirrorsRead {
  readonly mirrors: readonly Mirror[];
  readonly faults: readonly Fault[];
}

/**
 * Returns the mirrors among filters. One that cannot be used gets no copies, and requests are
 * served nevertheless. `field` is that of the filters.
 */
export function mirrorsOf(filters: readonly HTTPRouteFilter[], field: string, world: BackendWorld): MirrorsRead {
  const faults: Fault[] = [];
  const mirrors = filters.flatMap(({ requestMirror }, at): Mirror[] => {
    if (requestMirror === undefined || world.copies === "none") return [];
    const found = targetOf(requestMirror.backendRef, world);
    const fault = "why" in found ? found : unmirrored(found);
    if ("why" in found || fault !== undefined) {
      const { part, why, reason } = fault!;
      const where = `${field}[${at}].requestMirror.backendRef${part}`;
      const done = "it gets no copies of requests";
      faults.push({ reason, problem: { object: world.object, kind: "field-unusable", field: where, why, done } });
      return [];
    }
    const { percent = 100, fraction } = requestMirror;
    const share = fraction === undefined ? percent / 100 : fraction.numerator / (fraction.denominator ?? 100);
    const way = wayOf(found);
    return [
      {
        upstream: upstreamFor(found.key, found.port),
        share: Math.min(1, Math.max(0, share)),
        ...(way === undefined ? {} : { way }),
        ...(world.copies === "late" ? { isLate: true } : {}),
      },
    ];
  });
  return { mirrors, faults };
}

/** Reports that no copies are sent to a backend whose policy is unusable. */
function unmirrored({ broken }: Extract<Target, { key: string }>) {
  return broken && { reason: "UnsupportedProtocol", part: "", why: whyBroken(broken) };
}

function wayOf({ tls, protocol = "http" }: Extract<Target, { key: string }>): CopyWay | undefined {
  if (tls === undefined && protocol === "http") return undefined;
  return {
    ...(protocol === "h2c" || protocol === "grpcs" ? { isHttp2: true } : {}),
    ...(tls !== undefined || protocol === "https" || protocol === "grpcs" ? { isSecure: true } : {}),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Returns the Services that the backends name, whether or not they may use them. */
export function servicesNamed(references: readonly BackendReference[], home: string): string[] {
  return references.map(({ namespace = home, name }) => `${namespace}/${name}`);
}
