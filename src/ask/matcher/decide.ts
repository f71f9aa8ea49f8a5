/**
 * Decides a request under a Configuration as nginx does, without nginx. It is pure, and
 * test/parity/decide.test.ts compares it with the recorded answers to real requests. It mirrors
 * nginx/lua/sluice/route.lua and templates/location.tmpl, so a change there needs a change here.
 */

import type { Location, Server, Upstream } from "../../core/model/configuration.ts";
import { catchAll, defaultUpstream } from "../../core/model/configuration.ts";
import { backendOf } from "../../core/model/location.ts";
import { named } from "../../core/model/problem.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Decision, End, Guard } from "./decision.ts";
import { everywhere } from "./everywhere.ts";
import { isOwn } from "./gateway/match.ts";
import { isNamed } from "./gateway/ports.ts";
import { type Asked, earlyChecks, lateChecks, stopIn } from "./guards.ts";
import { hostOf, type Served } from "./host.ts";
import { pathOf } from "./path.ts";
import { appRootTarget, expanded, type Ports, twinTarget } from "./redirects.ts";
import { type AskedRequest, type ReadRequest, readRequest } from "./request.ts";

export interface DecideOptions {
  /**
   * Paths that Sluice answers itself on hosts without an Ingress, unless an Ingress has exactly
   * that path.
   */
  readonly ownPaths: readonly string[];
  /** The port of the built-in server, which answers 404 if there is no other default backend. */
  readonly builtInPort: number;
  /** The ports on which requests of clients arrive. */
  readonly ports: Ports;
  /** Whether all hosts are text, as with --mode=static. */
  readonly isStatic?: boolean;
}

export function decide(served: Served, asked: AskedRequest, options: DecideOptions): Decision {
  const request = readRequest(asked);
  if (request === undefined)
    return bare(undefined, { kind: "answer", status: 400, why: "host or path cannot be read" });
  const host = hostOf(served, request.host);
  const decided = forHost(served, { asked, request, host }, options);
  return { ...decided, guards: [...everywhere(served.settings), ...decided.guards] };
}

function forHost(
  served: Served,
  { asked, request, host }: Pick<Asked, "asked" | "request" | "host">,
  options: DecideOptions,
): Decision {
  const { server } = host;
  const { ports, isStatic } = options;
  const at = { asked, request, settings: served.settings, ports, isStatic };
  const isOnOwnPath = server.name === catchAll && isOwn(server, options.ownPaths, request.uri);
  if (isOnOwnPath && !isNamed(served, asked, request, options))
    return {
      ...bare(request, { kind: "answer", status: 200, why: "Sluice answers this path by itself" }),
      host,
      guards: ownGuards,
    };
  if (host.how === "twin") {
    const location = twinTarget(at, server.name);
    const status = served.settings.httpRedirectCode;
    const why = `from-to-www-redirect${authorOf(server, ({ redirects }) => redirects.twin)}`;
    return { ...bare(request, { kind: "answer", status, why, location }), host };
  }
  if (server.appRoot !== undefined && request.uri === "/") {
    const label = host.how === "wildcard" ? /^[\w-]+/.exec(request.host)?.[0] : undefined;
    const location = appRootTarget(at, server.appRoot, label);
    const author = authorOf(server, ({ appRoot }) => appRoot.path === server.appRoot);
    const why = `app-root${author} is ${server.appRoot}`;
    return { ...bare(request, { kind: "answer", status: 302, why, location }), host };
  }
  const path = pathOf(server, request.uri);
  if (path.kind === "unclear")
    return { ...bare(request, { kind: "unclear", why: `only nginx reads the pattern ${path.pattern}` }), host, path };
  if (path.kind === "nothing")
    return { ...bare(request, { kind: "answer", status: 404, why: "no path of the host takes it" }), host, path };
  const decided = throughGuards({ ...at, host, found: path }, served, options);
  return { request, host, path, ...decided, errorPages: path.location.features.customErrors.codes };
}

/** Returns, for example, ` of Ingress shop/web`, the first object of the host with the setting. */
function authorOf({ locations }: Server<FeatureValues>, has: (one: FeatureValues) => boolean): string {
  const owner = locations.find(({ features }) => has(features))?.owner;
  return owner === undefined ? "" : ` of ${named(owner)}`;
}

/**
 * Guards of the paths that Sluice answers itself. The list is nginx-status-ipv4-whitelist, or its
 * counterpart for IPv6.
 */
const ownGuards: readonly Guard[] = [
  {
    what: "status",
    says: "/nginx_status answers only addresses that the ConfigMap lists",
    outcome: "depends",
    status: 403,
  },
];

function bare(request: ReadRequest | undefined, end: End): Decision {
  return { request, host: undefined, path: undefined, guards: [], end, errorPages: [] };
}

function throughGuards(
  at: Asked,
  served: Served,
  { builtInPort }: DecideOptions,
): { readonly guards: readonly Guard[]; readonly end: End } {
  const { location } = at.found;
  const upstream = served.upstreams.get(backendOf(location).upstream);
  const other = location.standIn === undefined ? undefined : served.upstreams.get(location.standIn);
  const isServed = (upstream?.endpoints.length ?? 0) > 0;
  const standsIn = !isServed && (other?.endpoints.length ?? 0) > 0;
  const early = stopIn(earlyChecks, at, location);
  if (early.end !== undefined) return { guards: early.guards, end: early.end };
  if (!isServed && !standsIn) return { guards: early.guards, end: unserved(location) };
  const late = stopIn(lateChecks, at, location);
  const guards = [...early.guards, ...late.guards];
  if (late.end !== undefined) return { guards, end: late.end };
  const target = standsIn ? other! : upstream!;
  const isBuiltIn = target.endpoints.some(({ address, port }) => address === "127.0.0.1" && port === builtInPort);
  if (target.id === defaultUpstream && isBuiltIn) return { guards, end: notFound(at) };
  return { guards, end: proxied(at, served, target, standsIn) };
}

function notFound({ host, found }: Asked): End {
  const isRoot = found.location.owner === undefined || backendOf(found.location).service === "";
  const why =
    host.how === "nothing else"
      ? "no Ingress has this host"
      : isRoot
        ? "no path of the host takes it"
        : "the default backend answers";
  return { kind: "answer", status: 404, why: `${why}, and the built-in default backend answers 404` };
}

function unserved(location: Location<FeatureValues>): End {
  const { key, service, port } = backendOf(location);
  const of = service === "" ? "the default backend" : `Service ${key}, port ${port},`;
  return { kind: "answer", status: 503, why: `${of} has no endpoint that is ready` };
}

function proxied({ found }: Asked, { upstreams }: Served, upstream: Upstream, standsIn: boolean): End {
  const target = "rewrite" in found.route ? found.route.rewrite : undefined;
  const canaries = standsIn ? [] : found.location.canaries;
  return {
    kind: "proxied",
    upstream,
    standsIn,
    canaries: canaries.map((canary) => ({ canary, upstream: upstreams.get(canary.upstream) })),
    ...(target === undefined ? {} : { rewritten: expanded(target, found.groups) }),
  };
}
