/** What `nginx.tmpl` sees: settings, the servers and the shapes in them, and the servers that are Sluice's own. */
import { featureList } from "../annotations/registry.ts";
import type { Settings } from "../settings/registry.ts";
import type { Machine } from "./machine.ts";
import type { Directive } from "./place.ts";
import { settingDirectives } from "./setting-directives.ts";
import type { Shape } from "./shape.ts";
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
  /** Every shape that routes name. */
  readonly shapes: readonly Shape[];
  /** Bytes of shared memory for records. */
  readonly recordsBytes: number;
}

export function mainView({ settings, machine, shapes, recordsBytes }: MainParts): View {
  const { paths, ports } = machine;
  return {
    dynamic: machine.mode === "dynamic",
    modules: machine.modules.map(Token.word),
    user: machine.user === undefined ? false : Token.name(machine.user),
    main: { directives: directives("main", settings, machine) },
    events: { directives: directives("events", settings, machine) },
    http: { directives: directives("http", settings, machine) },
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
      shapes: shapes.map(({ name }) => luaString(name)),
    },
    ports: { https: Token.count(ports.https) },
    hsts: hsts(settings),
    upstreams: [httpUpstream(machine)],
    servers: [routedServer(machine, shapes)],
    internal: {
      default: both(machine, ports.defaultServer),
      control: Token.word(`unix:${paths.controlSocket}`),
      generation: Token.name(generationMark),
      status: Token.name(`127.0.0.1:${ports.status}`),
      healthPath: Token.word(machine.healthPath),
    },
  };
}

function directives(context: "main" | "events" | "http", settings: Settings, { capabilities }: Machine): View {
  return settingDirectives(context, settings, capabilities).map((one: Directive) => ({ ...one }));
}

/** The server of all hosts that are data. */
function routedServer(machine: Machine, shapes: readonly Shape[]): View {
  const { root } = machine.paths;
  const beside = new Map(shapes.flatMap((shape) => shape.beside).map((one) => [String(one.match), one]));
  return {
    routed: true,
    listen: [
      ...listens(machine, machine.ports.http, ["default_server"]),
      ...listens(machine, machine.ports.https, ["default_server", "ssl", ...http2(machine)]),
    ],
    names: Token.name("_"),
    certificate: { chain: Token.word(`${root}/tls/default.crt`), key: Token.word(`${root}/tls/default.key`) },
    variables: routeVariables().map(Token.name),
    statusAllow: [Token.name("127.0.0.1"), Token.name("::1")],
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

function httpUpstream({ mode }: Machine): View {
  return {
    name: Token.name("sluice_http"),
    servers: [],
    balancer: mode === "dynamic",
    directives: [
      { name: Token.name("keepalive"), value: Token.count(320) },
      { name: Token.name("keepalive_timeout"), value: Token.seconds(60) },
      { name: Token.name("keepalive_requests"), value: Token.count(10_000) },
    ],
  };
}

function http2({ http2, http2Directive }: Machine): string[] {
  return http2 && !http2Directive ? ["http2"] : [];
}

function listens({ ipv6 }: Machine, port: number, parameters: readonly string[]): Token[] {
  const addresses = [String(port), ...(ipv6 ? [`[::]:${port}`] : [])];
  return addresses.map((address) => Token.words([address, ...parameters].map(Token.name)));
}

function both(machine: Machine, port: number): Token[] {
  return listens(machine, port, []);
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
