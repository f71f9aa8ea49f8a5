/**
 * The origin of a request (RS-23): client address, scheme, host and port. They are variables with
 * the names that ingress-nginx's users know (process contract K 76), and headers for backends.
 *
 * With both PROXY protocol and forwarded headers, the address comes from the header only if the
 * PROXY source is trusted, else from the PROXY source. nginx's realip module knows one source, so a
 * location writes the chosen one into the helper header (`forwarded-for-proxy-protocol-header`) in
 * the rewrite phase and takes the address from there afterwards; whatever a client sends under that
 * name is lost. The same is done if requests come in behind the stream module, which has a
 * client's address in a PROXY header.
 */

import { isVariableName, withGroupVariables } from "../../kinds/variables.ts";
import { clientCertificateHeaders } from "../../settings/client-certificate-headers.ts";
import { proxyLine } from "../../settings/forwarded.ts";
import { otherSpellings } from "../../settings/header-spellings.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import { hopsHeaderName, hopTrail } from "../../tokens/hops.ts";
import type { Machine } from "../../tokens/machine.ts";
import type { Header } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";

/** A port of a Gateway: where nginx listens, and the port that clients use. */
export interface SeenPort {
  readonly listenPort: number;
  readonly port: number;
}

/**
 * Returns the view of `templates/settings/forwarded.tmpl`, in the http block. With `behind`,
 * connections may come from the stream module of this nginx, with a PROXY header.
 */
export function forwardedView(
  settings: Settings,
  { ports }: Machine,
  listeners: readonly SeenPort[],
  behind: boolean,
): View {
  const hasHeader = settings.useProxyProtocol;
  const seen = new Map(listeners.map(({ listenPort, port }) => [listenPort, port]));
  const https = ports.https;
  const others = [...seen].filter(([listened, port]) => listened !== port && listened !== https);
  return {
    seenPorts: others.map(([listened, port]) => ({ listened: Token.count(listened), port: Token.count(port) })),
    trusted: settings.useForwardedHeaders,
    proxyProtocol: settings.useProxyProtocol,
    behind: behind && !hasHeader,
    port: Token.variable(hasHeader ? "proxy_protocol_server_port" : behind ? "connected_port" : "server_port"),
    httpsPort: Token.count(https),
    requestId: settings.generateRequestId,
    keepalive: settings.upstreamKeepaliveConnections > 0,
    earlyData: settings.sslEarlyData,
    address: Token.variable(hasHeader ? "proxy_protocol_addr" : behind ? connected : "realip_remote_addr"),
  };
}

/**
 * The variable with the address of the connection's other end, also where the stream module passed
 * it on.
 */
const connected = "connected_addr";

type Source = "none" | "header" | "proxy" | "both";

function sourceOf(settings: Settings, can: Capabilities, behind: boolean): Source {
  if (!can.realip) return "none";
  if (settings.useProxyProtocol) return settings.useForwardedHeaders && can.headersMore ? "both" : "proxy";
  if (!settings.useForwardedHeaders && !settings.enableRealIp) return "none";
  return behind && can.headersMore && settings.forwardedForHeader !== proxyLine ? "both" : "header";
}

/**
 * Returns the view of `templates/settings/real-ip.tmpl` in the http block, and of
 * `real-ip-location.tmpl` in each location that serves clients.
 */
export function realIpView(settings: Settings, can: Capabilities, behind: boolean): View {
  const source = sourceOf(settings, can, behind);
  const ranges = [...new Set(settings.proxyRealIpCidr)].map(Token.name);
  const header = Token.name(settings.forwardedForHeader);
  return {
    header: source === "header" ? header : source === "proxy" ? Token.name("proxy_protocol") : false,
    both: source === "both" && {
      helper: Token.name(settings.forwardedForProxyProtocolHeader),
      source: Token.variable(settings.useProxyProtocol ? "proxy_protocol_addr" : connected),
      behind,
      incoming: variableOfHeader(settings.forwardedForHeader),
    },
    ranges,
  };
}

/** Returns the view of `templates/settings/stream-real-ip.tmpl`, in the stream block. */
export function streamRealIpView(settings: Settings, can: Capabilities): View {
  return {
    ranges: settings.enableRealIp && can.streamRealip ? [...new Set(settings.proxyRealIpCidr)].map(Token.name) : [],
  };
}

function appends({ useForwardedHeaders, computeFullForwardedFor }: Settings): boolean {
  return useForwardedHeaders && computeFullForwardedFor;
}

function variableOfHeader(name: string): Token {
  return Token.variable(`http_${name.toLowerCase().replaceAll("-", "_")}`);
}

/**
 * Returns the headers for the case that no host requests client certificates. The client's own
 * headers are then removed, which costs nothing, while a variable would be computed for every
 * request.
 */
export function withoutCertificates(headers: readonly Header[]): readonly Header[] {
  const variables = new Set(clientCertificateHeaders.map(({ variable }) => String(Token.variable(variable))));
  return headers.map((header) => (variables.has(String(header.value)) ? { ...header, value: Token.text("") } : header));
}

/**
 * Returns the variable of the host that a backend gets. The router sets `s_host` for a request
 * without a Host header, which is cheaper than a map that hashes the host. An operator's own
 * location may proxy without the router.
 */
function hostVariable(settings: Settings, mode: Machine["mode"]): string {
  const { useForwardedHeaders, httpSnippet, serverSnippet } = settings;
  const isRouted = mode === "dynamic" && httpSnippet === "" && serverSnippet === "";
  return isRouted && !useForwardedHeaders ? "s_host" : "best_http_host";
}

/**
 * Returns the headers of RS-23.2 for a backend, and those of `proxy-set-headers`. If both have a
 * header of the same name, the backend gets both (RS-32.18). An empty value removes the client's
 * header.
 */
export function requestHeaders(
  settings: Settings,
  { capabilities: can, mode }: Pick<Machine, "capabilities" | "mode">,
  behind: boolean,
): readonly Header[] {
  // A map costs time at every request, so $pass_access_scheme is used only if it may differ from
  // $scheme.
  const scheme = settings.useForwardedHeaders || settings.useProxyProtocol ? "pass_access_scheme" : "scheme";
  const host = hostVariable(settings, mode);
  const headers: readonly (readonly [string, string | Token])[] = [
    ["Host", host],
    ["Upgrade", "http_upgrade"],
    ["Connection", "connection_upgrade"],
    ["X-Request-ID", "req_id"],
    ["X-Real-IP", "remote_addr"],
    ["X-Forwarded-For", appends(settings) ? "full_x_forwarded_for" : "remote_addr"],
    ["X-Forwarded-Host", host],
    ["X-Forwarded-Port", "pass_port"],
    ["X-Forwarded-Proto", scheme],
    ["X-Forwarded-Scheme", scheme],
    ["X-Scheme", scheme],
    ...(mode === "static" ? ([[hopsHeaderName, hopTrail]] as const) : []),
    ["X-Original-Forwarded-For", variableOfHeader(settings.forwardedForHeader)],
    ["X-Original-Forwarded-Host", variableOfHeader(settings.forwardedHostHeader)],
    ...(settings.proxyAddOriginalUriHeader ? ([["X-Original-URI", "origin_form"]] as const) : []),
    ...clientCertificateHeaders.map(({ name, variable }) => [name, variable] as const),
    ["Proxy", Token.text("")],
    // A backend that wants no early data answers 425, and the client repeats the request when the
    // handshake is complete (RFC 8470).
    ...(settings.sslEarlyData ? ([["Early-Data", "early_data"]] as const) : []),
    ...(sourceOf(settings, can, behind) === "both"
      ? ([[settings.forwardedForProxyProtocolHeader, Token.text("")]] as const)
      : []),
  ];
  const own = headers.map(([name, value]) => ({
    name: Token.name(name),
    value: typeof value === "string" ? Token.variable(value) : value,
  }));
  const followed = settings.followed.proxySetHeaders.map(({ name, value }) => ({
    name: Token.name(name),
    value: Token.variables(withGroupVariables(value), isVariableName),
  }));
  const all = [...own, ...followed];
  return [...all, ...otherSpellingsOf(all, settings)];
}

/**
 * Returns lines that remove the other spellings of these headers, if clients may send them. The
 * table of headers of gRPC has room for few names, so there only Sluice's own header is removed.
 */
export function otherSpellingsOf(headers: readonly Header[], settings: Settings): readonly Header[] {
  const names = headers.map(({ name }) => String(name)).filter((name) => name !== hopsHeaderName);
  const none = Token.text("");
  return [
    ...otherSpellings(names, settings).map(
      (name) => ({ name: Token.name(name), value: none, onlyHttp: true }) as const,
    ),
    ...otherSpellings([hopsHeaderName], settings).map((name) => ({ name: Token.name(name), value: none })),
  ];
}
