/**
 * Computes the cost of a route before its paths are multiplied: a record of each host on each
 * listener has all matches of the route, and each match has the filters and backends of its rule.
 * So a route of 61 KB can cause gigabytes. The computation itself is linear in the bytes of the
 * route, the number of its listeners and that of its hosts.
 */
import type { Route } from "../../../model/gateway/objects.ts";

/** Bytes for a match on a host beside its texts: half of that is time, which counts like memory. */
const perMatch = 1024;

/** Bytes for a text of nginx that RouteSettings of a rule and of a listener make together. */
const perText = 16 * 1024;

/** A route on so many hosts is ordinary: two names, each on a listener for http and for https. */
const usualHosts = 4;

/** RouteSettings of a whole listener are ordinary up to this size. */
const usualSettings = 4096;

export interface Product {
  readonly matches: number;
  /** Hosts of all listeners together. */
  readonly hosts: number;
  /** Bytes for everything. */
  readonly bytes: number;
  /** The part of `bytes` that an ordinary route of this size would not need. */
  readonly surplus: number;
}

export interface ProductWorld {
  /** The number of hosts of the route on each of its listeners, by the listener's id. */
  readonly hosts: ReadonlyMap<string, number>;
  /** Returns the characters of the RouteSettings for all routes of a listener, given by its id. */
  outer(listener: string): number;
  /** Returns the characters of the RouteSettings for one rule of the route. */
  inner(rule: RuleParts): number;
}

/** The parts of a rule that count, for routes of all kinds. */
export interface RuleParts {
  readonly name?: string;
  readonly matches?: readonly unknown[];
  readonly filters?: readonly unknown[];
  readonly backendRefs?: readonly { readonly filters?: readonly unknown[] }[];
}

export function productOf(route: Route, world: ProductWorld): Product {
  const { spec } = route as { readonly spec?: { readonly rules?: readonly RuleParts[] } };
  const rules = spec?.rules ?? [{}];
  let [matches, each, withSettings] = [0, 0, 0];
  for (const rule of rules) {
    const inner = world.inner(rule);
    const count = Math.max(rule.matches?.length ?? 0, 1);
    matches += count;
    each += lengthOf(rule.matches) + count * (perMatch + textsOf(rule) + inner);
    if (inner > 0) withSettings += 1;
  }
  let [hosts, bytes, ofListeners] = [0, 0, 0];
  for (const [listener, count] of world.hosts) {
    const outer = world.outer(listener);
    hosts += count;
    ofListeners += count * outer;
    bytes += count * (each + matches * outer) + (outer > 0 ? withSettings * perText : 0);
  }
  const outer = hosts === 0 ? 0 : Math.min(ofListeners / hosts, usualSettings);
  const usual = usualHosts * (matches * (perMatch + outer) + lengthOf(spec));
  return { matches, hosts, bytes, surplus: Math.max(0, bytes - usual) };
}

/**
 * Returns the characters that each match of a rule has. A backend repeats the filters of its rule.
 */
function textsOf({ matches: _, filters = [], backendRefs = [], ...others }: RuleParts): number {
  const changing = backendRefs.filter((one) => (one.filters?.length ?? 0) > 0).length;
  return lengthOf(others) + lengthOf(filters) * (1 + changing) + lengthOf(backendRefs);
}

/** No field of a route is deeper, so nothing below this is in a record. */
const deepest = 16;

/** Returns about the length of the value as JSON, without making that text. */
function lengthOf(value: unknown, depth = deepest): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null || depth === 0) return 5;
  const entries = Object.entries(value);
  const names = Array.isArray(value) ? 0 : entries.reduce((sum, [name]) => sum + name.length + 3, 0);
  return entries.reduce((sum, [, one]) => sum + lengthOf(one, depth - 1), names + 2);
}
