/**
 * Turns the Locations that one namespace has on a host into rules of a route. Matches with the same
 * filters, backends and settings become one rule.
 */

import { isElsewhere } from "../../core/kinds/rewrite-target.ts";
import type { Location, Server } from "../../core/model/configuration.ts";
import type {
  HTTPBackendReference,
  HTTPRouteFilter,
  HTTPRouteMatch,
  HTTPRouteRule,
} from "../../core/model/gateway/objects.ts";
import type { Service } from "../../core/model/objects.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { cookiePathOf } from "../../core/policies/sessions/convert.ts";
import { servicePortOf } from "../../core/table/upstreams/endpoints.ts";
import { specOfAnswer } from "./answered.ts";
import { variantsOf } from "./canaries.ts";
import { type Way, waysOf } from "./paths.ts";
import type { Spec } from "./spec.ts";

export interface DraftRule {
  readonly matches: readonly HTTPRouteMatch[];
  readonly filters: readonly HTTPRouteFilter[];
  readonly backendRefs: readonly HTTPBackendReference[];
  /** The spec of the rule's RouteSettings; empty if it needs none. */
  readonly spec: Spec;
  /** Comments above the rule, one line each. */
  readonly comments: readonly string[];
  /** `namespace/name` of the Ingress after which RouteSettings are named. */
  readonly ingress: string;
  /** Added to that name, if the settings are not those of the Ingress: `app-root`. */
  readonly part?: string;
  /**
   * The rule gets none of the filters that Ingresses need in all rules, because nginx answers
   * before these.
   */
  readonly isBare?: true;
}

export interface RuleWorld {
  service(key: string): Service | undefined;
  /**
   * `namespace/name` of the Service that answers if no path does. If it is undefined, the
   * built-in backend answers 404.
   */
  readonly defaultBackend: string | undefined;
  /** Turns the annotations of the Location's owner into the spec of RouteSettings for its rules. */
  specOf(server: Server<FeatureValues>, location: Location<FeatureValues>): Spec;
}

/** Returns the rules for some Locations of a host. `isMine` chooses the Locations. */
export function rulesOf(
  server: Server<FeatureValues>,
  isMine: (location: Location<FeatureValues>) => boolean,
  world: RuleWorld,
): readonly DraftRule[] {
  const rules = waysOf(server).flatMap((way) => {
    const location = server.locations[way.location]!;
    return isMine(location) ? rulesOfWay(server, location, way, world) : [];
  });
  return merged([...appRootRules(server, isMine), ...rules]);
}

function rulesOfWay(
  server: Server<FeatureValues>,
  location: Location<FeatureValues>,
  way: Way,
  world: RuleWorld,
): readonly DraftRule[] {
  const ingress = ownerKey(location);
  const own = world.specOf(server, location);
  if (way.kind === "slash") {
    const redirect: HTTPRouteFilter = {
      type: "RequestRedirect",
      requestRedirect: { path: { type: "ReplaceFullPath", replaceFullPath: way.to }, statusCode: 301 },
    };
    const comments = [`the slash that nginx adds to the path of ${ownerName(location)}`];
    // nginx redirects to add the slash before the redirect to https and before any guard.
    const spec = specOfAnswer(own);
    return [
      { matches: [{ path: way.path }], filters: [redirect], backendRefs: [], spec, comments, ingress, part: "slash" },
    ];
  }
  if (hasNoRule(location, world)) return [];
  const rewritten = rewriteOf(way, own);
  const spec = {
    ...own,
    ...rewritten.spec,
    ...(way.kind === "pattern" ? cookiePathOf(location.features, location.path) : {}),
  };
  return variantsOf(location.canaries).map(({ headers, shares, because }, _at, all): DraftRule => {
    const backends = shares.filter(({ weight }, nth) => weight > 0 || (nth > 0 && shares.length > 1));
    const references = backends.map(({ upstream, weight }) => {
      const reference =
        upstream === undefined ? ownReference(location, world) : canaryReference(upstream, location, world);
      return { reference, weight };
    });
    const isShared = references.length > 1;
    const isCanary = all.length > 1 || isShared;
    return {
      matches: [{ path: way.path, ...(headers.length === 0 ? {} : { headers }) }],
      filters: rewritten.filters,
      backendRefs: references.flatMap(({ reference, weight }) =>
        reference === undefined ? [] : [{ ...reference, ...(isShared ? { weight } : {}) }],
      ),
      spec,
      comments: isCanary
        ? [`from ${ownerName(location)} and its canary, annotation ${because}`]
        : [`from ${ownerName(location)}`],
      ingress,
    };
  });
}

/**
 * Whether no Ingress has the path, so that the built-in default backend answers it. A Gateway
 * answers 404 there by itself.
 */
function hasNoRule(
  { backends, features }: Location<FeatureValues>,
  { defaultBackend }: Pick<RuleWorld, "defaultBackend">,
): boolean {
  return backends[0]!.service === "" && defaultBackend === undefined && features.redirects.elsewhere === undefined;
}

/** Whether the rules of the host leave no request to a less specific host. */
export function takesAll(server: Server<FeatureValues>, defaultBackend: string | undefined): boolean {
  return waysOf(server).some(
    ({ path, location }) =>
      path.type !== "Exact" &&
      ["/", "(?i:/)(?s:.*)"].includes(path.value!) &&
      !hasNoRule(server.locations[location]!, { defaultBackend }),
  );
}

export const ownerKey = ({ owner }: Location<FeatureValues>): string =>
  owner === undefined ? "" : `${owner.namespace}/${owner.name}`;

export const ownerName = ({ owner }: Location<FeatureValues>): string =>
  owner === undefined ? "the default backend" : `${owner.kind} ${owner.namespace}/${owner.name}`;

/**
 * Returns the rewrite as filters or as RouteSettings. Only RouteSettings can express a target with
 * groups of the path. X-Forwarded-Prefix is sent if they rewrite the path.
 */
function rewriteOf(way: Way, own: Spec): { readonly filters: readonly HTTPRouteFilter[]; readonly spec: Spec } {
  const target = way.kind === "pattern" ? way.rewrite : undefined;
  if (target === undefined) return { filters: [], spec: {} };
  if (isElsewhere(target) || target.includes("$") || !target.startsWith("/") || own["x-forwarded-prefix"] !== undefined)
    return { filters: [], spec: { "rewrite-target": target } };
  // Escapes in a target are text, and those of a route are decoded.
  const path = { type: "ReplaceFullPath", replaceFullPath: target.replaceAll("%", "%25") };
  return { filters: [{ type: "URLRewrite", urlRewrite: { path } }], spec: {} };
}

/** Returns the rules for app-root: `/` is redirected to its path before anything else happens. */
function appRootRules(
  { appRoot, locations }: Server<FeatureValues>,
  isMine: (location: Location<FeatureValues>) => boolean,
): readonly DraftRule[] {
  const source = locations.find(({ features }) => features.appRoot.path === appRoot);
  if (appRoot === undefined || source === undefined || !isMine(source)) return [];
  return [
    {
      matches: [{ path: { type: "Exact", value: "/" } }],
      filters: [],
      backendRefs: [],
      // A RequestRedirect would keep the query, and app-root drops it. Bodies may have any size.
      spec: { "permanent-redirect": appRoot, "permanent-redirect-code": "302", "proxy-body-size": "0" },
      comments: [`from ${ownerName(source)}, annotation app-root`],
      ingress: ownerKey(source),
      part: "app-root",
      isBare: true,
    },
  ];
}

function ownReference(
  { backends, owner }: Location<FeatureValues>,
  world: RuleWorld,
): HTTPBackendReference | undefined {
  const { key, port } = backends[0]!;
  if (key !== "" || world.defaultBackend === undefined) return referenceTo(key, port, owner?.namespace, world);
  const first = world.service(world.defaultBackend)?.spec?.ports?.[0]?.port;
  return referenceTo(world.defaultBackend, String(first ?? ""), owner?.namespace, world);
}

/**
 * Returns the reference to a canary's Service. The id of its Upstream begins with its Service and
 * port.
 */
function canaryReference(upstream: string, { owner }: Location<FeatureValues>, world: RuleWorld) {
  const [namespace, service, port = ""] = upstream.split(" ")[0]!.split("/");
  return referenceTo(`${namespace}/${service}`, port, owner?.namespace, world);
}

/** Returns undefined if the number of the port is not known. */
function referenceTo(
  key: string,
  port: string,
  home: string | undefined,
  world: RuleWorld,
): HTTPBackendReference | undefined {
  const [namespace = "", name = ""] = key.split("/");
  const service = world.service(key);
  const number = (service && servicePortOf(service, port)?.port) ?? Number(port);
  if (name === "" || !Number.isInteger(number) || number < 1) return undefined;
  return { ...(namespace === home ? {} : { namespace }), name, port: number };
}

/**
 * Joins rules that differ only in their matches. Patterns of one length are tried in their order,
 * so only neighbours among them are joined.
 */
function merged(rules: readonly DraftRule[]): readonly DraftRule[] {
  const result: DraftRule[] = [];
  const known = new Map<string, number>();
  for (const rule of rules) {
    const { matches, comments: _, ...end } = rule;
    const isPattern = matches[0]!.path?.type === "RegularExpression";
    const key = JSON.stringify([end, isPattern, matches[0]!.headers]);
    const at = known.get(key);
    const found = at !== undefined && (!isPattern || at === result.length - 1) ? result[at] : undefined;
    if (found === undefined || at === undefined) {
      known.set(key, result.length);
      result.push(rule);
    } else {
      const comments = [...new Set([...found.comments, ...rule.comments])];
      result[at] = { ...found, matches: [...found.matches, ...matches], comments };
    }
  }
  return result;
}

/**
 * Returns a rule in the form of a route; `extension` is the name of its RouteSettings, if the
 * whole route has none.
 */
export function writtenRule(
  { matches, filters, backendRefs }: DraftRule,
  extension: string | undefined,
): HTTPRouteRule {
  const extensionRef = { group: "sluice.dev", kind: "RouteSettings", name: extension ?? "" };
  const all: HTTPRouteFilter[] = [
    ...filters,
    ...(extension === undefined ? [] : [{ type: "ExtensionRef", extensionRef }]),
  ];
  return {
    matches,
    ...(all.length === 0 ? {} : { filters: all }),
    ...(backendRefs.length === 0 ? {} : { backendRefs }),
  };
}
