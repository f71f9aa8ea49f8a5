/**
 * Decides a request at the ports of Gateways: for each Gateway with a listener on the port of the
 * URL it finds the listener, the route, its guards and backends. If several Gateways have
 * addresses of their own, DNS decides between them.
 */

import type { Upstream } from "../../../core/model/configuration.ts";
import { catchAll, type Location, type WeightedBackend } from "../../../core/model/configuration.ts";
import type { AuthService, Filters } from "../../../core/model/filters.ts";
import type { Listener, ListenerPort } from "../../../core/model/listeners.ts";
import { fullSentence } from "../../../core/model/problem.ts";
import { answersPreflight } from "../../../core/policies/cors/words.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { groupsOf } from "../../../core/tokens/pattern-groups.ts";
import type { DecideOptions } from "../decide.ts";
import type { End, Guard } from "../decision.ts";
import { everywhere } from "../everywhere.ts";
import { type Asked, checksBeforeFilters, earlyChecks, lateChecks, stopIn } from "../guards.ts";
import type { Served } from "../host.ts";
import { patternOf } from "../pattern.ts";
import { expanded } from "../redirects.ts";
import type { AskedRequest, ReadRequest } from "../request.ts";
import { listenerFor, ofOtherPaths, type RouteLost, type RouteSearch, type RouteTaken, routeFor } from "./match.ts";
import { isShared, portsFor } from "./ports.ts";
import { redirectTarget, rewritten } from "./target.ts";

export interface BackendShare {
  readonly backend: WeightedBackend;
  /** Its share of the requests, from 0 to 1. */
  readonly share: number;
  readonly upstream: Upstream | undefined;
}

export interface GatewayDecision {
  readonly port: ListenerPort;
  readonly listener: Listener;
  /**
   * Routes that take the path but whose conditions the request does not meet. If no route takes
   * the request, those of its host with other paths follow.
   */
  readonly lost: readonly RouteLost[];
  readonly taken: RouteTaken | undefined;
  readonly guards: readonly Guard[];
  /** Backends that have a share; empty if no backend gets the request. */
  readonly backends: readonly BackendShare[];
  /**
   * The reason why an Ingress on the same port gets the request, if one does. The route then has no
   * effect.
   */
  readonly passedOn?: string;
  /** The end of the request. With several backends, it is the end at the first one. */
  readonly end: End;
  /** The path that backends get, if it differs. */
  readonly rewritten?: string;
}

/**
 * Returns an empty list if no listener of a Gateway takes the request. Then Ingresses decide.
 */
export function decideGateways(
  served: Served,
  asked: AskedRequest,
  request: ReadRequest,
  options: DecideOptions,
): readonly GatewayDecision[] {
  return portsFor(served, asked, options).flatMap((port) => {
    const listener = listenerFor(port, request.host);
    if (listener === undefined) return [];
    return [atListener({ served, asked, request, options, port, listener })];
  });
}

/**
 * Whether the request comes to ports that only Gateways use. A name without a listener gets 404
 * there.
 */
export function isApart(served: Served, asked: AskedRequest, options: DecideOptions): boolean {
  const wanted = asked.port ?? 80;
  const { http, https } = options.ports;
  return ![80, 443, http, https].includes(wanted) && portsFor(served, asked, options).length > 0;
}

export interface At {
  readonly served: Served;
  readonly asked: AskedRequest;
  readonly request: ReadRequest;
  readonly options: DecideOptions;
  readonly port: ListenerPort;
  readonly listener: Listener;
}

function atListener(at: At): GatewayDecision {
  const { served, asked, request, options, port, listener } = at;
  const shared = isShared(port, options);
  const { lost, end } = routeFor(served, { listener, shared, ownPaths: options.ownPaths }, request, asked);
  const taken = end.kind === "taken" ? end.taken : undefined;
  const base = { port, listener, lost, taken, guards: [], backends: [] };
  if (end.kind === "ingress") return { ...base, passedOn: end.why, end: { kind: "answer", status: 404, why: end.why } };
  if (asked.sni && port.tls && listenerFor(port, asked.sni)?.id !== listener.id) {
    const chosen = listenerFor(port, asked.sni);
    const why = `the handshake named ${asked.sni}, which belongs to ${chosen === undefined ? "no listener" : `listener ${chosen.name}`}`;
    return { ...base, end: { kind: "answer", status: 421, why } };
  }
  if (end.kind === "unclear")
    return { ...base, end: { kind: "unclear", why: `only nginx reads the pattern ${end.pattern}` } };
  if (end.kind === "nothing") {
    const why = nothingWords(end, request);
    const all = [...lost, ...end.hosts.flatMap((server) => ofOtherPaths(server, request.uri))];
    return { ...base, lost: all, ...(shared ? { passedOn: why } : {}), end: { kind: "answer", status: 404, why } };
  }
  return { ...base, ...atRoute(at, end.taken) };
}

function nothingWords(
  { hosts }: RouteSearch["end"] & { readonly kind: "nothing" },
  { host, uri }: ReadRequest,
): string {
  if (hosts.length === 0) return `no route of the listener has the host ${host}`;
  const names = hosts.map(({ name }) => (name === catchAll ? "all hosts" : name)).join(", ");
  return `no rule for ${names} takes this request to ${uri}`;
}

export function atRoute(at: At, taken: RouteTaken): Pick<GatewayDecision, "guards" | "backends" | "end" | "rewritten"> {
  const { served, asked, request, options } = at;
  const { location } = taken;
  const { filters = {}, unusableStatus = 500 } = location;
  const place: Asked = {
    ...{ asked, request, settings: served.settings, ports: options.ports, isStatic: options.isStatic },
    host: { server: taken.server, by: taken.server.name, how: "name", tls: false, certificate: undefined },
    found: { kind: "location", location, route: taken.route, groups: groupsIn(taken, request) },
  };
  const answer = answerOfFilters(at, filters);
  if (answer !== undefined) {
    const { guards, end = answer } = stopIn(checksBeforeFilters, place, location);
    return { guards: [...everywhere(served.settings), ...guards], backends: [], end };
  }
  const total = location.backends.reduce((sum, { weight }) => sum + weight, 0);
  const taking = location.backends.filter(({ weight }) => weight > 0);
  const backends = taking.map((backend) => {
    return { backend, share: backend.weight / total, upstream: served.upstreams.get(backend.upstream) };
  });
  const [first] = backends;
  const whyUnusable = first === undefined ? "the rule has no backend with a weight" : unusableWords(first.backend);
  if (whyUnusable !== undefined && location.features.redirects.elsewhere === undefined) {
    const end = { kind: "answer", status: unusableStatus, why: whyUnusable } as const;
    return { guards: everywhere(served.settings), backends, end };
  }
  const early = stopIn(earlyChecks, place, location);
  const guards = [...everywhere(served.settings), ...early.guards];
  if (early.end !== undefined || first === undefined)
    return { guards, backends: [], end: early.end ?? { kind: "answer", status: 503, why: "the rule has no backend" } };
  const standIn = location.standIn === undefined ? undefined : served.upstreams.get(location.standIn);
  const isServed = (first.upstream?.endpoints.length ?? 0) > 0;
  const standsIn = !isServed && (standIn?.endpoints.length ?? 0) > 0;
  if (!isServed && !standsIn) {
    const why = `Service ${first.backend.key}, port ${first.backend.port}, has no endpoint that is ready`;
    return { guards, backends, end: { kind: "answer", status: 503, why } };
  }
  const { auth } = filters;
  const late = stopIn(lateChecks, place, auth === undefined ? location : withoutOperators(location));
  const all = [...guards, ...late.guards, ...(auth === undefined ? [] : [asking(auth)])];
  if (late.end !== undefined) return { guards: all, backends, end: late.end };
  const change = first.backend.filters?.rewrite ?? filters.rewrite;
  const path = (change && rewritten(change, request)) ?? annotatedPath(place);
  return {
    guards: all,
    backends,
    end: { kind: "proxied", upstream: standsIn ? standIn! : first.upstream!, canaries: [], standsIn },
    ...(path === undefined ? {} : { rewritten: path }),
  };
}

/** Returns undefined if the filters leave the request to a backend. */
function answerOfFilters({ served, asked, request, port }: At, filters: Filters): End | undefined {
  if (answersPreflight(filters, asked))
    return { kind: "answer", status: 204, why: "the route answers preflights of CORS" };
  const { redirect } = filters;
  if (redirect === undefined) return undefined;
  const target = redirectTarget(redirect, { asked, request, port, settings: served.settings });
  return { kind: "answer", status: redirect.status, why: "RequestRedirect", location: target };
}

function unusableWords({ unusable }: WeightedBackend): string | undefined {
  return unusable && fullSentence(unusable);
}

/** Returns the groups of the pattern that takes the path; none if a plain path takes it. */
function groupsIn({ route }: RouteTaken, { uri }: ReadRequest): readonly (string | undefined)[] {
  if (route.match !== "pattern") return [];
  return [...(patternOf(`^(?:${groupsOf(route.path).text})$`, "s")?.exec(uri) ?? [])];
}

/** Returns the path after rewrite-target; undefined if it stays. */
function annotatedPath({ found }: Asked): string | undefined {
  const target = "rewrite" in found.route ? found.route.rewrite : undefined;
  return target && expanded(target, found.groups);
}

/** Removes the operator's auth service, because the rule's own replaces it. */
function withoutOperators(location: Location<FeatureValues>): Location<FeatureValues> {
  return { ...location, features: { ...location.features, externalAuth: { kind: "none" } } };
}

function asking({ upstream, path, isGrpc }: AuthService): Guard {
  const where = path === "" ? "" : ` below ${path}`;
  const service = upstream.replace(/\/(\d+) .*$/, ", port $1");
  const says = isGrpc
    ? `Service ${service} is asked over gRPC; only its answer OK lets the request pass`
    : `Service ${service} is asked${where}; only its answer 200 lets the request pass`;
  return { what: "external-auth", says, outcome: "depends", status: 401 };
}
