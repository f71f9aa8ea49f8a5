/**
 * Reads the backends of a rule, with their weights and filters. A backend that cannot be
 * used keeps its share of the requests, which then get an error.
 */
import type { Filters } from "../../../model/filters.ts";
import type { HTTPBackendReference, HTTPRouteFilter } from "../../../model/gateway/objects.ts";
import type { Mistake, Problem } from "../../../model/problem.ts";
import type { FoundBackend } from "../../../policies/declare.ts";
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
    const referring = filtersOfBackends(filters, `${field}.${part}.filters`, world);
    faults.push(...referring.faults);
    const own = { ...read.filters, ...referring.changes };
    return {
      part,
      upstream: upstreamFor(key, port),
      key,
      service: reference.name,
      port: String(port),
      weight,
      ...(protocol === undefined ? {} : { protocol }),
      ...(tls === undefined ? {} : { tls }),
      ...(Object.keys(own).length === 0 ? {} : { filters: own }),
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

/**
 * Reads the filters that name backends. One whose backend cannot be used does nothing, and requests
 * are served nevertheless. `field` is that of the filters.
 */
export function filtersOfBackends(filters: readonly HTTPRouteFilter[], field: string, world: BackendWorld) {
  const faults: Fault[] = [];
  if (world.copies === "none") return { changes: {}, faults };
  const read = [...routeFilters.values()].map(({ type, field: part, ofBackends }): Filters => {
    const found = filters.flatMap((filter, at): FoundBackend[] => {
      if (ofBackends === undefined || filter.type !== type) return [];
      const target = targetOf(ofBackends.reference(filter), world);
      const fault = "mistake" in target ? target : unserved(target);
      if ("mistake" in target || fault !== undefined) {
        const { part: of, mistake, reason } = fault!;
        const where = `${field}[${at}].${part}.backendRef${of}`;
        faults.push({ reason, problem: { object: world.object, field: where, ...mistake, done: ofBackends.done } });
        return [];
      }
      const { key, port, protocol, tls } = target;
      return [{ filter, upstream: upstreamFor(key, port), protocol, tls, isLate: world.copies === "late" }];
    });
    return found.length === 0 ? {} : ofBackends!.read(found);
  });
  return { changes: Object.assign({}, ...read) as Filters, faults };
}

/** The mistake of a backend whose policy is unusable. */
function unserved({ broken }: Extract<Target, { key: string }>) {
  return broken && { reason: "UnsupportedProtocol", part: "", mistake: whyBroken(broken) };
}
