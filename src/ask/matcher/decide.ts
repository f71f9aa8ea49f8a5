/**
 * Decides a request under a Configuration as nginx does, without nginx: the port, its listener, the
 * host, the route, the Location. It is pure, and test/parity/decide.test.ts compares it with the
 * recorded answers to real requests. It mirrors nginx/lua/sluice/route.lua and its folder, so a
 * change there needs a change here. If several Gateways have addresses of their own, DNS decides
 * between them.
 */

import { catchAll, type Server } from "../../core/model/configuration.ts";
import { type Listener, type ListenerPort, serverKey } from "../../core/model/listeners.ts";
import { named } from "../../core/model/problem.ts";
import { takesPreflights } from "../../core/policies/cors/record.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { type Announced, announcedBy } from "./conditions.ts";
import type { Decision, End, GatewayDecision, Guard } from "./decision.ts";
import { everywhere } from "./everywhere.ts";
import { type FoundHost, hostOf, ofWildcard, type Served } from "./host.ts";
import { isShared, listenerFor, namesAbove, portsFor } from "./listeners.ts";
import { atLocation } from "./location.ts";
import { type FoundPath, isOwn, ofOtherPaths, pathOf, type RouteLost } from "./paths.ts";
import { appRootTarget, type Ports, twinTarget } from "./redirects.ts";
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

/** A request where its hosts are looked up: among those of a listener, or of the port itself. */
export interface At {
  readonly served: Served;
  readonly asked: AskedRequest;
  readonly request: ReadRequest;
  readonly options: DecideOptions;
  readonly port?: ListenerPort;
  readonly listener?: Listener;
  readonly announced?: Announced;
}

/**
 * The decisions about a request at all ports where it may arrive. Ports with several listeners come
 * first: the hosts of the port of Ingresses get what a listener of a shared port passes on.
 */
export interface Decisions {
  /** Empty if no listener has the host. */
  readonly atListeners: readonly GatewayDecision[];
  readonly atHosts: Decision;
}

export function decide(served: Served, asked: AskedRequest, options: DecideOptions): Decisions {
  const request = readRequest(asked);
  if (request === undefined) {
    const end = { kind: "answer", status: 400, why: "host or path cannot be read" } as const;
    const atHosts = { request, host: undefined, path: undefined, guards: [], backends: [], end, errorPages: [] };
    return { atListeners: [], atHosts };
  }
  const at: At = { served, asked, request, options };
  const atListeners = portsFor(served, asked, options).flatMap((port) => {
    const listener = listenerFor(port, request.host);
    if (listener === undefined) return [];
    const there = { ...at, port, listener };
    return [preflightAt(there) ?? atListener(there)];
  });
  const found = atListeners.map(({ wildcard }) => wildcard).find((wildcard) => wildcard !== undefined);
  const isNamed = atListeners.some((one) => one.isNamed);
  return { atListeners, atHosts: atHosts(at, found ?? hostOf(served, request.host), isNamed) };
}

/**
 * Decides a preflight by the request that it announces: the rule that would take that request
 * answers, if it has CORS. Returns undefined if there is no such rule.
 */
function preflightAt(at: AtListener): GatewayDecision | undefined {
  for (const announced of announcedBy(at.asked)) {
    const decision = atListener({ ...at, announced });
    if (decision.path?.kind === "nothing") continue;
    return decision.path?.kind === "location" && takesPreflights(decision.path.location) ? decision : undefined;
  }
  return undefined;
}

/** Decides among the hosts of the Ingress ports. `isNamed` says that a listener names the host. */
function atHosts(at: At, host: FoundHost, isNamed: boolean): Decision {
  const { served, asked, request, options } = at;
  const { settings } = served;
  const { server } = host;
  const isOnOwnPath = server.name === catchAll && isOwn(server, options.ownPaths, request.uri);
  if (isOnOwnPath && !isNamed) {
    const end = { kind: "answer", status: 200, why: "Sluice answers this path by itself" } as const;
    return ended(at, end, { host, guards: ownGuards });
  }
  const misdirected = ofOtherHandshake(asked, host, request);
  if (misdirected !== undefined) return ended(at, misdirected, { host });
  const from = { asked, request, settings, ports: options.ports };
  if (host.how === "twin") {
    const why = `from-to-www-redirect${authorOf(server, ({ redirects }) => redirects.twin)}`;
    const location = twinTarget(from, server.name);
    return ended(at, { kind: "answer", status: settings.httpRedirectCode, why, location }, { host });
  }
  if (server.appRoot !== undefined && request.uri === "/") {
    const label = host.how === "wildcard" ? /^[\w-]+/.exec(request.host)?.[0] : undefined;
    const author = authorOf(server, ({ appRoot }) => appRoot.path === server.appRoot);
    const why = `app-root${author} is ${server.appRoot}`;
    return ended(
      at,
      { kind: "answer", status: 302, why, location: appRootTarget(from, server.appRoot, label) },
      { host },
    );
  }
  const path = pathOf(server, at);
  if (path.kind === "location") return atPath(at, host, path);
  if (path.kind === "unclear") return ended(at, unclear(path.pattern), { host, path });
  return ended(at, { kind: "answer", status: 404, why: "no path of the host takes it" }, { host, path });
}

/**
 * Answers 421 where the host asks for certificates of clients and the handshake named another host,
 * because a client may have shown no certificate there.
 */
function ofOtherHandshake(
  { scheme, sni }: AskedRequest,
  { server }: FoundHost,
  { host }: ReadRequest,
): End | undefined {
  const { clientCertificate } = server.features;
  const isAsked = clientCertificate.kind === "verify" && clientCertificate.verify !== "off";
  if (scheme !== "https" || !isAsked || !sni || sni === host) return undefined;
  const why = `the handshake named ${sni}, and clients of ${server.name} present their certificates in one that names it`;
  return { kind: "answer", status: 421, why };
}

type AtListener = At & Required<Pick<At, "port" | "listener">>;

/** Decides among the hosts of the listener: the most specific one that takes the request has it. */
function atListener(at: AtListener): GatewayDecision {
  const { served, request, options, port, listener } = at;
  const shared = isShared(port, options);
  const lost: RouteLost[] = [];
  const hosts: Server<FeatureValues>[] = [];
  const found = (decision: Decision, more: Partial<GatewayDecision> = {}): GatewayDecision => {
    return { ...decision, port, listener, lost, ...more };
  };
  const passing = (why: string) => ({ passedOn: why, isNamed: hosts.some(({ name }) => name !== catchAll) });
  const passedOn = (why: string, wildcard?: FoundHost) =>
    found(ended(at, { kind: "answer", status: 404, why }), { ...passing(why), ...(wildcard && { wildcard }) });
  const ingress = shared ? levelOf(served, request.host) : undefined;
  for (const name of namesAbove(request.host)) {
    const server = served.servers.get(serverKey({ listener: listener.id, name }));
    if (name === ingress && (server === undefined || name === catchAll))
      return passedOn("an Ingress names the host more exactly than its routes");
    if (server === undefined) continue;
    const isLast = name === catchAll && listener.hostname === "" && hosts.length === 0;
    if (shared && isLast && isOwn(server, options.ownPaths, request.uri))
      return passedOn("Sluice answers this path by itself");
    hosts.push(server);
    const path = pathOf(server, at, lost, isDeeper(name, request.host));
    if (path.kind === "nothing") continue;
    if (path.kind === "elsewhere") {
      const wildcard = name.startsWith("*.") ? served.servers.get(name) : undefined;
      return passedOn("an Ingress has the path", wildcard && ofWildcard(wildcard));
    }
    const how = name === catchAll ? "nothing else" : name.startsWith("*.") ? "wildcard" : "name";
    const host = { server, by: name, how, tls: false, certificate: undefined } as const;
    const misdirected = ofOtherListener(at);
    if (misdirected !== undefined) return found(ended(at, misdirected, { host, path }));
    if (path.kind === "unclear") return found(ended(at, unclear(path.pattern), { host, path }));
    return found(atPath(at, host, path));
  }
  const misdirected = ofOtherListener(at);
  if (misdirected !== undefined) return found(ended(at, misdirected));
  const why = nothingWords(hosts, request);
  const all = [...lost, ...hosts.flatMap((server) => ofOtherPaths(server, request.uri))];
  const nothing = at.announced === undefined ? {} : ({ path: { kind: "nothing" } } as const);
  const end = { kind: "answer", status: 404, why } as const;
  return found(ended(at, end, nothing), { lost: all, ...(shared ? passing(why) : {}) });
}

function ofOtherListener({ asked: { sni }, port, listener }: AtListener): End | undefined {
  if (!sni || !port.tls) return undefined;
  const chosen = listenerFor(port, sni);
  if (chosen?.id === listener.id) return undefined;
  const why = `the handshake named ${sni}, which belongs to ${chosen === undefined ? "no listener" : `listener ${chosen.name}`}`;
  return { kind: "answer", status: 421, why };
}

/**
 * Returns the name by which Ingresses have the host; undefined if none has it. An alias that is
 * a pattern comes after all names, such as the wildcard one label above, but before the name for
 * all hosts.
 */
function levelOf(served: Served, host: string): string | undefined {
  const { how, by } = hostOf(served, host);
  if (how === "nothing else") return undefined;
  if (by === host || how === "wildcard") return by;
  const wildcard = namesAbove(host)[1]!;
  return served.servers.has(wildcard) ? wildcard : catchAll;
}

/**
 * Whether the wildcard stands for several labels of the host. A wildcard of an Ingress stands for
 * one.
 */
function isDeeper(name: string, host: string): boolean {
  return name.startsWith("*.") && host.length > name.length - 1 && host.slice(host.indexOf(".", 1)) !== name.slice(1);
}

function nothingWords(hosts: readonly Server<FeatureValues>[], { host, uri }: ReadRequest): string {
  if (hosts.length === 0) return `no route of the listener has the host ${host}`;
  const names = hosts.map(({ name }) => (name === catchAll ? "all hosts" : name)).join(", ");
  return `no rule for ${names} takes this request to ${uri}`;
}

/** Decides where the Location is known. */
export function atPath(at: At, host: FoundHost, path: FoundPath & { readonly kind: "location" }): Decision {
  const { served, asked, request, options, port } = at;
  const { settings } = served;
  const { ports, isStatic, builtInPort } = options;
  const place = { served, asked, request, settings, ports, isStatic, builtInPort, port, host, found: path };
  const { guards, backends, end } = atLocation(place);
  const errorPages = path.location.features.customErrors.codes;
  return { request, host, path, guards: [...everywhere(settings), ...guards], backends, end, errorPages };
}

function ended({ served, request }: At, end: End, { host, path, guards = [] }: Partial<Decision> = {}): Decision {
  const all = [...everywhere(served.settings), ...guards];
  return { request, host, path, guards: all, backends: [], end, errorPages: [] };
}

const unclear = (pattern: string): End => ({ kind: "unclear", why: `only nginx reads the pattern ${pattern}` });

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
