/**
 * Reads the backends of a rule, with their weights, filters and mirrors. A backend that cannot be
 * used keeps its share of the requests, which then get an error.
 */
import type { CopyWay, Mirror } from "../../../model/filters.ts";
import type { HTTPBackendReference, HTTPRouteFilter } from "../../../model/gateway/objects.ts";
import type { Mistake, Problem } from "../../../model/problem.ts";
import { routeFilters } from "../../../policies/filters.ts";
import type { ClaimedBackend } from "../../../table/claim.ts";
import type { Fault } from "../conditions.ts";
import { type FiltersRead, filtersOf } from "./filters.ts";
import { type BackendWorld, refusalOf, type Target, targetOf, whyBroken } from "./targets.ts";

export interface BackendsRead {
  readonly backends: readonly ClaimedBackend[];
  readonly faults: readonly Fault[];
  /** Faults of their filters, which are mistakes in values and not in references. */
  readonly invalid: readonly Fault[];
  /** Reasons why policies of backends are unusable, which is not a mistake of the route. */
  readonly notes: readonly Problem[];
}

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
      backends: [unusable("backendRefs", { object, kind: "value-unusable", field: `${field}.backendRefs`, why, done })],
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
    const problem = (where: string, mistake: Mistake): Problem => {
      const done = `its share of the requests gets ${refusalOf(world)}`;
      return { object, field: `${field}.${part}${where}`, ...mistake, done };
    };
    if (!read.ok) {
      invalid.push({
        reason: read.reason,
        problem: problem(`.filters${read.part}`, { kind: "value-unusable", why: read.why }),
      });
      return { ...unusable(part, invalid.at(-1)!.problem), weight };
    }
    const found = targetOf(reference, world);
    if ("mistake" in found) {
      faults.push({ reason: found.reason, problem: problem(found.part, found.mistake) });
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
const forRules = ["ExternalAuth", "ExtensionRef", "RequestRedirect"];

/**
 * Refuses filters of a single backend that would answer or guard only some of a rule's requests. No
 * filter may be skipped, so the backend's share of the requests is refused.
 */
function ofBackend(read: FiltersRead, filters: readonly HTTPRouteFilter[]): FiltersRead {
  const at = filters.findIndex(({ type }) => forRules.includes(type) || routeFilters.get(type)?.isForRules);
  if (!read.ok || at < 0) return read;
  const why = `${filters[at]!.type} is served for rules alone`;
  return { ok: false, reason: "UnsupportedValue", part: `[${at}].type`, why };
}

export function unusable(part: string, problem: Problem): ClaimedBackend {
  return { part, upstream: "", key: "", service: "", port: "", weight: 1, unusable: problem };
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
    const fault = "mistake" in found ? found : unmirrored(found);
    if ("mistake" in found || fault !== undefined) {
      const { part, mistake, reason } = fault!;
      const where = `${field}[${at}].requestMirror.backendRef${part}`;
      const done = "it gets no copies of requests";
      faults.push({ reason, problem: { object: world.object, field: where, ...mistake, done } });
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
  return broken && { reason: "UnsupportedProtocol", part: "", mistake: whyBroken(broken) };
}

function wayOf({ tls, protocol = "http" }: Extract<Target, { key: string }>): CopyWay | undefined {
  if (tls === undefined && protocol === "http") return undefined;
  return {
    ...(protocol === "h2c" || protocol === "grpcs" ? { isHttp2: true } : {}),
    ...(tls !== undefined || protocol === "https" || protocol === "grpcs" ? { isSecure: true } : {}),
    ...(tls === undefined ? {} : { tls }),
  };
}
