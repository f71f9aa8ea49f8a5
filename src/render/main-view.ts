/** What `nginx.tmpl` sees: settings, the servers and the shapes in them, and the servers that are Sluice's own. */
import { featureList } from "../annotations/registry.ts";
import { catchAll } from "../model/configuration.ts";
import type { Settings } from "../settings/registry.ts";
import type { Machine } from "./machine.ts";
import { requestHeaders } from "./settings/forwarded.ts";
import { listenLines } from "./settings/listen.ts";
import { settingsView } from "./settings-view.ts";
import type { Shape } from "./shape.ts";
import { dataSlot, plainServerView, type Slot, type TextServer } from "./text-servers.ts";
import { Token, type View } from "./token.ts";

/** Stands in the text where its own hash will stand. */
export const generationMark = "GENERATION";

/** Route variables that the router itself sets. */
const routerVariables = [
  "namespace",
  "ingress_name",
  "service_name",
  "service_port",
  "location_path",
  "proxy_upstream_name",
  "proxy_alternative_upstream_name",
  "route_upstream",
  "route_unserved",
  "route_tls",
  "route_too_large",
  "route_slash",
];

export interface MainParts {
  readonly settings: Settings;
  readonly machine: Machine;
  /** The shapes that routes of a slot may name. */
  readonly shapesOf: (slot: Slot) => readonly Shape[];
  readonly textServers: readonly TextServer[];
  /** Bytes of shared memory for records. */
  readonly recordsBytes: number;
}

export function mainView({ settings, machine, shapesOf, textServers, recordsBytes }: MainParts): View {
  const { paths, ports, capabilities, around } = machine;
  const parts = settingsView(settings, capabilities, around, { tracing: false });
  return {
    dynamic: machine.mode === "dynamic",
    modules: machine.modules.map(Token.word),
    user: machine.user === undefined ? false : Token.name(machine.user),
    main: viewOf(parts.main),
    events: viewOf(parts.events),
    http: viewOf(parts.http),
    requestHeaders: viewOf(requestHeaders(settings, capabilities)),
    temp: {
      clientBody: Token.word(`${paths.temp}/client-body`),
      proxy: Token.word(`${paths.temp}/proxy`),
      fastcgi: Token.word(`${paths.temp}/fastcgi`),
      uwsgi: Token.word(`${paths.temp}/uwsgi`),
      scgi: Token.word(`${paths.temp}/scgi`),
    },
    lua: {
      packagePath: Token.word(`${paths.lua}/?.lua;;`),
      recordsSize: Token.name(`${Math.ceil(recordsBytes / 1024)}k`),
      journal: luaString(paths.journal),
      slots: [dataSlot, ...textServers.map(({ name }) => name)].map((slot) => ({
        name: luaString(slot),
        shapes: shapesOf(slot).map(({ name }) => luaString(name)),
      })),
    },
    hsts: hsts(settings),
    upstreams: [httpUpstream(machine, settings)],
    servers: [
      dataServer(machine, settings, shapesOf(dataSlot), parts),
      ...textServers.map((server) => textServer(server, machine, settings, shapesOf(server.name), parts)),
    ],
    internal: {
      default: listens(machine, ports.defaultServer),
      control: Token.word(`unix:${paths.controlSocket}`),
      generation: Token.name(generationMark),
      status: Token.name(`127.0.0.1:${ports.status}`),
      healthPath: Token.word(machine.healthPath),
    },
  };
}

/** Typed records of Tokens, as the template takes them. */
function viewOf(parts: unknown): View {
  return parts as View;
}

type Parts = ReturnType<typeof settingsView>;

/** The server of all hosts that are data. */
function dataServer(machine: Machine, settings: Settings, shapes: readonly Shape[], parts: Parts): View {
  return {
    ...routedServer(dataSlot, machine, settings, shapes, parts),
    names: Token.name(catchAll),
    features: plainServerView,
    variables: routeVariables().map(Token.name),
  };
}

/** The server of one host that data cannot express. */
function textServer(
  server: TextServer,
  machine: Machine,
  settings: Settings,
  shapes: readonly Shape[],
  parts: Parts,
): View {
  return {
    ...routedServer(server.name, machine, settings, shapes, parts),
    names: server.serverName,
    features: server.view,
    variables: false,
  };
}

function routedServer(slot: Slot, machine: Machine, settings: Settings, shapes: readonly Shape[], parts: Parts) {
  const { capabilities, around, ports, paths } = machine;
  const lines = (port: number, tls: boolean) =>
    listenLines(settings, capabilities, around, { port, tls, catchAll: slot === dataSlot });
  const beside = new Map(shapes.flatMap((shape) => shape.beside).map((one) => [String(one.match), one]));
  return {
    slot: luaString(slot),
    listen: [...lines(ports.http, false), ...lines(ports.https, true)],
    certificate: {
      chain: Token.word(`${paths.root}/tls/default.crt`),
      key: Token.word(`${paths.root}/tls/default.key`),
    },
    blocked: viewOf(parts.http.blocked),
    snippet: viewOf(parts.server.snippet),
    statusAllow: [...settings.nginxStatusIpv4Whitelist, ...settings.nginxStatusIpv6Whitelist].map(Token.name),
    locations: [
      ...[...beside.values()].map(({ match, text }) => ({ match, text })),
      ...shapes.map(({ name, text }) => ({ match: Token.name(name), text })),
    ],
  };
}

function routeVariables(): string[] {
  const bound = featureList.flatMap(([, { variables = [] }]) => variables.map((name) => `route_${name}`));
  return [...new Set([...routerVariables, ...bound])];
}

function httpUpstream({ mode }: Machine, settings: Settings): View {
  const keepalive = settings.upstreamKeepaliveConnections;
  const directives: readonly (readonly [string, Token])[] = [
    ["keepalive", Token.count(keepalive)],
    ["keepalive_time", Token.name(settings.upstreamKeepaliveTime)],
    ["keepalive_timeout", Token.seconds(settings.upstreamKeepaliveTimeout)],
    ["keepalive_requests", Token.count(settings.upstreamKeepaliveRequests)],
  ];
  return {
    name: Token.name("sluice_http"),
    servers: [],
    balancer: mode === "dynamic",
    directives: keepalive === 0 ? [] : directives.map(([name, value]) => ({ name: Token.name(name), value })),
  };
}

function listens({ around }: Machine, port: number): Token[] {
  return [String(port), ...(around.ipv6 ? [`[::]:${port}`] : [])].map(Token.name);
}

function hsts({ hsts, hstsMaxAge, hstsIncludeSubdomains, hstsPreload }: Settings): Token {
  if (!hsts) return Token.variable("upstream_http_strict_transport_security");
  const parts = [
    `max-age=${hstsMaxAge}`,
    ...(hstsIncludeSubdomains ? ["includeSubDomains"] : []),
    ...(hstsPreload ? ["preload"] : []),
  ];
  return Token.text(parts.join("; "));
}

/** A path as a Lua string, where the escapes are Lua's own. */
function luaString(path: string): Token {
  return Token.word(path);
}
