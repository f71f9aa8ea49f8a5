/**
 * The views of servers' partials: the one server of all data hosts, and those of hosts that need
 * text.
 */

import { formOf } from "../../kinds/server-names.ts";
import { groupVariables } from "../../kinds/variables.ts";
import { catchAll } from "../../model/configuration.ts";
import { featureList } from "../../policies/registry.ts";
import { ownHost } from "../../settings/own-host.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token, type View } from "../../tokens/token.ts";
import { inPlaceOf } from "../dynamic/in-place.ts";
import type { Shape } from "../dynamic/shape.ts";
import type { RoutedTextServer } from "../dynamic/text-locations.ts";
import type { ListenedPort } from "../gateway/listen.ts";
import { filesOf, type RenderedFile } from "../rendered-files.ts";
import { withSettingsFiles } from "../settings/files.ts";
import { quicLines, servesHttp3 } from "../settings/http3.ts";
import { listenLines } from "../settings/listen.ts";
import { settingsView } from "../settings/view.ts";
import { type Fronts, frontsOf } from "../streams/fronts.ts";
import { InternalNames } from "./internal-names.ts";
import { hostBlock, locationBlock, shapeBlock } from "./source-map.ts";
import { dataSlot, plainServerView, type Slot } from "./text-servers.ts";

/** The reason why a closed path answers 503, for log formats that name it. */
export const closedReasonVariable = "closed_reason";

/** Variables that describe the route of a request; the router sets those that something reads. */
export const routeLabels = [
  ...["namespace", "ingress_name", "service_name", "service_port", "location_path"],
  closedReasonVariable,
];

/** Variables that name the route of a request at a Gateway. */
export const gatewayLabels = ["gateway", "listener", "route", "rule"];

/** Variables in which the router of Gateways puts the work of a route's filters. */
export const filterVariables = [
  ...["route_answer", "route_location", "route_steering", "route_host", "route_deadline", "route_attempt"],
  ...["route_retries", "route_backoff", "route_shape", "route_failed", "route_next", "route_again", "route_peer"],
  ...["route_uri", "route_target"],
  ...["route_auth_upstream", "route_auth_uri", "route_auth_limit", "route_auth_body", "route_auth_answer"],
  ...["route_auth_status", "route_auth_location", "route_body_kept", "route_body_passes"],
];

/** The variable that is set for a request of a Gateway on one of the usual ports. */
const besideVariable = "route_beside";

/** Whether nginx listens for Gateways, and on one of the usual ports. */
interface Listening {
  readonly gateway: boolean;
  readonly beside: boolean;
}

/**
 * Variables that the router sets, or that a location sets if it needs them. `s_to` is the id of
 * the upstream, which each request sets and reads. It is short, because nginx hashes a name that
 * Lua uses character by character; so are `s_at`, the location to which a request jumps, and
 * `s_id`, the id of the request.
 */
const routerVariables = [
  ...routeLabels,
  "escaped_request_uri",
  "proxy_upstream_name",
  "proxy_alternative_upstream_name",
  "route_labels",
  "s_to",
  "s_at",
  "s_inner",
  "s_closing",
  "s_located",
  "route_unserved",
  "route_tls",
  "route_certificate",
  "route_kept",
  "route_hop",
  "route_loops",
  "route_too_large",
  "route_slash",
  "route_elsewhere",
  "route_rewritten",
  "route_error_upstream",
  "route_error_name",
  "route_www",
  "route_app_root",
  "route_sticky",
  "route_client_headers",
  "route_tried",
  "route_asked",
];

/** Values that all servers of one text share. */
export interface AboutServers {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly parts: ReturnType<typeof settingsView>;
  /** Files with content from the settings. */
  readonly files: readonly RenderedFile[];
  readonly fronts: Fronts;
}

export function aboutServers(
  settings: Settings,
  machine: Machine,
  listeners: readonly ListenedPort[] = [],
  fronts: Fronts = frontsOf([], [], machine),
): AboutServers {
  const { capabilities, paths } = machine;
  const files: RenderedFile[] = [];
  const withFiles = withSettingsFiles(machine, settings, capabilities, filesOf(paths.root, files));
  const parts = settingsView(settings, capabilities, withFiles, { listeners, behind: fronts.any });
  return { settings, machine, parts, files, fronts };
}

/**
 * Returns the view of the server of all hosts that are data. With `named` it has every name that no
 * other server has, so it must come last. This is for client certificates: nginx remembers the
 * server of the SNI only if a server has that name, and answers 421 to a request on that
 * connection for a host that wants client certificates. `shared` says whether a Gateway uses one of
 * its ports, too.
 */
export function dataServerView(
  about: AboutServers,
  shapes: readonly Shape[],
  { named, shared }: { readonly named: boolean; readonly shared: boolean },
): View {
  const server = routedServer(about, dataSlot, shapes);
  return {
    ...server,
    shared,
    paths: [],
    takesRest: true,
    inPlace: inPlaceView(about, shapes),
    names: named ? Token.conf`${Token.name(catchAll)} ${Token.pattern("~.")}` : Token.name(catchAll),
    features: plainServerView,
  };
}

/** Returns the view of the server of one host that data cannot express. */
export function textServerView(about: AboutServers, server: RoutedTextServer, shapes: readonly Shape[]): View {
  const textOf = new Map(shapes.map(({ name, text }) => [name, text]));
  return {
    ...routedServer(about, server.name, shapes),
    paths: server.locations.map(({ match, location, shape }) => ({
      match: locationBlock(match, location),
      own: shape !== undefined && { shape: Token.word(shape), text: textOf.get(shape)! },
    })),
    inPlace: false,
    takesRest: server.leavesRest,
    names: hostBlock(server.serverName, server.name),
    features: server.view,
  };
}

/** Returns the text that `location /` has beside the router; false where it has none. */
export function inPlaceView(about: AboutServers, shapes: readonly Shape[]): View {
  const { text, takesBodies } = inPlaceOf(about, shapes) ?? {};
  return text !== undefined && { text, takesBodies: takesBodies === true };
}

/** Returns the part of each server that has a router. */
export function routedServer(about: AboutServers, slot: Slot, shapes: readonly Shape[]) {
  const beside = new Map(shapes.flatMap((shape) => shape.beside).map((one) => [String(one.match), one]));
  const counts = about.machine.counts !== undefined;
  const keeps = shapes.some(({ text }) => String(text).includes('"sluice.gateway.body"'));
  return {
    ...headOf(about, slot === dataSlot),
    // This is needed only beside a snippet, because the router checks the host of all other
    // requests.
    openNames: true,
    dynamic: true,
    // The code is a word of nginx, because only this form of the directive takes an argument.
    run: Token.word(`return package.loaded["sluice.route"].run(${Token.word(slot)})`),
    inspected: about.settings.enableModsecurity && about.machine.capabilities.modsecurity,
    counts,
    keeps,
    logs: counts || keeps,
    http3: servesHttp3(about.settings, about.machine.capabilities),
    slot: Token.word(slot),
    fixed: fixedNames(about.machine),
    rejectsUnknownNames: about.settings.sslRejectHandshake && slot === dataSlot,
    certificate: certificateAt(about.machine, defaultPairFile),
    locations: [
      ...[...beside.values()].map(({ match, text }) => ({ match, text })),
      // The previous text may have this path in another server, and a request cannot move there.
      ...shapes.map(({ name, text, needsPath }) => ({
        match: shapeBlock(name),
        text: needsPath ? Token.conf`return 503;` : text,
      })),
    ],
  };
}

/** Returns the names of the locations that each server with a router has, by their purpose. */
export function fixedNames({ nameKey }: Machine): View {
  const names = new InternalNames(nameKey);
  return Object.fromEntries(fixedLocations.map((name) => [name, names.fixed(name)]));
}

const fixedLocations = [
  "app_root",
  "www",
  "unrouted",
  "undecided",
  "unknown_shape",
  "contrary_host",
  "circle",
  "misdirected",
  "closing",
  "unverified",
  "health",
  "status",
] as const;

/** Returns the view of the beginning of every server, in either mode. */
export function headOf(
  { settings, machine, parts, fronts }: AboutServers,
  isCatchAll: boolean,
  names: readonly string[] = [],
) {
  const { capabilities, ports } = machine;
  const lines = (port: number, tls: boolean) =>
    listenLines(settings, capabilities, machine, {
      ...{ port, tls, catchAll: isCatchAll },
      isDivided: fronts.isDivided(port),
    });
  const hostVariable = machine.mode === "static" && servesHttp3(settings, capabilities) ? "asked_host" : "http_host";
  return {
    gateway: false as View,
    shared: false,
    askedHost: Token.variable(hostVariable),
    ownHost: Token.variable(ownHost(settings)),
    // Names that clients may choose in part.
    openNames: isCatchAll || names.some((name) => formOf(name) !== "exact"),
    listen: [
      ...lines(ports.http, false),
      ...(fronts.https ? behindFront(machine, isCatchAll) : lines(ports.https, true)),
      ...quicLines(settings, capabilities, machine, { port: ports.https, catchAll: isCatchAll }),
    ],
    blocked: parts.http.blocked as View,
    ...(parts.server as Readonly<Record<string, View>>),
    redirectCode: Token.count(settings.httpRedirectCode),
    statusAllow: [...settings.nginxStatusIpv4Whitelist, ...settings.nginxStatusIpv6Whitelist].map(Token.name),
  };
}

/**
 * Returns our TLS listener if the stream module has the https port. Only the stream module can
 * reach it, so its PROXY header is trusted.
 */
function behindFront({ paths, capabilities }: Machine, isCatchAll: boolean): Token[] {
  const http2 = capabilities.http2 && !capabilities.http2Directive ? ["http2"] : [];
  const parameters = [...(isCatchAll ? ["default_server"] : []), "ssl", "proxy_protocol", ...http2];
  return [Token.words([Token.word(`unix:${paths.tlsSocket}`), ...parameters.map(Token.name)])];
}

/** The name in `tls/` of the pair for hosts that have none. */
export const defaultPairFile = "default";

/**
 * Returns the view of a certificate. `name` is the name of its files in `tls/`, without extension.
 * `staple` is the path of its OCSP response below the run folder.
 */
export function certificateAt({ paths }: Machine, name: string, staple?: string): View {
  return {
    chain: Token.word(`${paths.root}/tls/${name}.crt`),
    key: Token.word(`${paths.root}/tls/${name}.key`),
    staple: staple !== undefined && Token.word(`${paths.root}/${staple}`),
  };
}

/**
 * Returns the variables of routers: those of Gateways only if nginx listens for them, and one
 * more if this includes a usual port.
 */
export function routeVariables({ gateway, beside }: Listening = { gateway: false, beside: false }): string[] {
  const bound = featureList.flatMap(([, { variables = [] }]) => variables.map((name) => `route_${name}`));
  return [
    ...new Set([
      ...routerVariables,
      ...(gateway ? filterVariables : []),
      ...(beside ? [besideVariable] : []),
      ...gatewayLabels,
      ...groupVariables,
      ...bound,
    ]),
  ];
}
