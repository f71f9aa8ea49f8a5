/**
 * Makes the HTTPRoutes of a host: one for each namespace that has paths on it, because a route uses
 * the Services of its own namespace.
 */

import { catchAll, type Server } from "../../core/model/configuration.ts";
import { gatewayGroup, type HTTPRouteFilter, type ParentReference } from "../../core/model/gateway/objects.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { namesOf } from "./listeners.ts";
import { hostSlug, type Names } from "./names.ts";
import { type DraftRule, writtenRule } from "./rules.ts";
import type { SettingsPool } from "./settings-pool.ts";
import { chunksOf, mostMatchesOfRule, partName, partsOf } from "./split.ts";
import type { Note, Written } from "./written.ts";

export interface HostRoute {
  readonly server: Server<FeatureValues>;
  readonly namespace: string;
  readonly rules: readonly DraftRule[];
  /** Names of the namespace's Ingresses that have paths on the host, in the order of the paths. */
  readonly ingresses: readonly string[];
  /** The number of hosts that these Ingresses have. */
  readonly hosts: number;
  readonly parents: readonly ParentReference[];
  /** Filters that each rule has beside its own. */
  readonly everywhere: readonly HTTPRouteFilter[];
}

export interface RouteWorld {
  readonly names: Names;
  readonly pool: SettingsPool;
  readonly notes: Note[];
}

/** The most hostnames and parents that one route may have. */
const [mostHostnames, mostParents] = [16, 32];

export function writtenRoutes(route: HostRoute, suffix: string, world: RouteWorld): readonly Written[] {
  const { server, namespace, rules, ingresses, parents } = route;
  const [first = "route"] = ingresses;
  const host = server.name === catchAll ? "all hosts" : server.name;
  const wished = `${route.hosts === 1 ? first : `${first}-${hostSlug(server.name)}`}${suffix}`;
  const name = world.names.nameFor(`HTTPRoute ${namespace}`, wished, `${server.name}${suffix}`);
  const parts = partsOf(rules);
  const hostnames = namesOf(server).filter((one) => one !== catchAll);
  const groups = chunksOf(hostnames, mostHostnames);
  const all = groups.flatMap((some) => parts.map((part) => ({ hostnames: some, part })));
  const about = `HTTPRoute ${namespace}/${name}`;
  if (all.length > 1) {
    const why = `host ${host} has more rules, matches or names than one route may have`;
    world.notes.push({ about, text: `${why}; it is written as ${all.length} routes` });
  }
  for (const { matches, comments } of rules) {
    if (matches.length <= mostMatchesOfRule) continue;
    const count = Math.ceil(matches.length / mostMatchesOfRule);
    const why = `the rule ${comments.join(", ")} has ${matches.length} matches, and ${mostMatchesOfRule} are the most`;
    world.notes.push({ about, text: `${why}; it is written as ${count} rules` });
  }
  if (parents.length > mostParents) {
    const why = `host ${host} needs ${parents.length} listeners, and a route may name ${mostParents}`;
    world.notes.push({ about, text: `${why}; the others get no requests of it` });
  }
  return all.map(({ hostnames: some, part }, at) => {
    const called = partName(name, at, all.length);
    return writtenRoute({ ...route, rules: part }, { called, settings: `${first}${suffix}` }, some, world);
  });
}

interface RouteNames {
  readonly called: string;
  /** The name of RouteSettings for the whole route, unless others have it. */
  readonly settings: string;
}

function writtenRoute(
  { namespace, rules, ingresses, parents, everywhere, server }: HostRoute,
  { called: name, settings }: RouteNames,
  hostnames: readonly string[],
  { pool }: RouteWorld,
): Written {
  const shared = sharedSpec(rules);
  const [first] = rules;
  const wanted = (rule: DraftRule, wished: string) => {
    const comment = `settings of Ingress ${rule.ingress} that routes have no field for`;
    return { namespace, of: rule.ingress, wished, spec: rule.spec, comment, otherwise: name };
  };
  const target = { kind: "HTTPRoute", name };
  // A rule without backends needs a filter or RouteSettings that answer in their place.
  const isWhole = rules.every(({ backendRefs, filters }) => backendRefs.length > 0 || filters.length > 0);
  const isAttached = shared !== undefined && isWhole && pool.attach(wanted(first!, settings), target);
  const written = rules.map((rule) => {
    const isOwn = !isAttached && Object.keys(rule.spec).length > 0;
    const called = `${rule.ingress.split("/")[1] ?? name}${rule.part === undefined ? "" : `-${rule.part}`}`;
    const extension = isOwn ? pool.named(wanted(rule, called)) : undefined;
    return writtenRule(rule.isBare ? rule : { ...rule, filters: [...everywhere, ...rule.filters] }, extension);
  });
  const from = ingresses.map((one) => `Ingress ${namespace}/${one}`).join(", ");
  const host = server.name === catchAll ? "requests that no other host takes" : server.name;
  return {
    object: {
      apiVersion: `${gatewayGroup}/v1`,
      kind: "HTTPRoute",
      metadata: { name, namespace },
      spec: {
        parentRefs: parents.slice(0, mostParents),
        ...(hostnames.length === 0 ? {} : { hostnames }),
        rules: written,
      },
    },
    comments: [
      { at: [], text: `${host}, from ${from}` },
      ...(everywhere.length === 0
        ? []
        : [{ at: [], text: "Strict-Transport-Security comes from hsts of the ConfigMap, or its default" }]),
      ...rules.flatMap(({ comments }, at) => comments.map((text) => ({ at: ["spec", "rules", at], text }))),
    ],
  };
}

/**
 * Returns the settings that all rules have in common; undefined if they differ, or if there
 * are none.
 */
function sharedSpec(rules: readonly DraftRule[]): DraftRule["spec"] | undefined {
  const texts = new Set(rules.map(({ spec }) => JSON.stringify(spec)));
  const [first] = rules;
  return texts.size === 1 && first !== undefined && Object.keys(first.spec).length > 0 ? first.spec : undefined;
}
