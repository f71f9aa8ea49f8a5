/**
 * Capabilities of the nginx at hand on which a rendering depends; `nginx/` detects these and
 * others.
 */
export interface Capabilities {
  readonly brotli: boolean;
  readonly geoip2: boolean;
  readonly headersMore: boolean;
  readonly http2: boolean;
  readonly http2Directive: boolean;
  readonly http3: boolean;
  readonly keptBody: boolean;
  readonly lua: boolean;
  readonly modsecurity: boolean;
  readonly otel: boolean;
  readonly realip: boolean;
  readonly rejectHandshake: boolean;
  readonly stream: boolean;
  readonly streamRealip: boolean;
  readonly streamTls: boolean;
  readonly upstreamResolve: boolean;
  readonly upstreamSan: boolean;
}

export type Capability = keyof Capabilities;

/** Returns the capabilities that a mode uses: `static` never uses Lua. */
export function inMode<C extends Capabilities>(mode: "dynamic" | "static", can: C): C {
  return { ...can, lua: can.lua && mode === "dynamic" };
}

/** Returns the capabilities that `can` lacks. */
export function lackingOf(can: Capabilities): ReadonlySet<Capability> {
  return new Set((Object.keys(capabilityNames) as Capability[]).filter((name) => !can[name]));
}

/** The name of each capability in the sentence "nginx here has no …". */
export const capabilityNames: Readonly<Record<Capability, string>> = {
  brotli: "brotli module",
  geoip2: "GeoIP2 module",
  headersMore: "headers-more module",
  http2: "HTTP/2",
  http2Directive: "http2 directive",
  http3: "HTTP/3",
  keptBody: "module that keeps the bodies of calls",
  lua: "Lua module",
  modsecurity: "ModSecurity module",
  otel: "OpenTelemetry module",
  realip: "realip module",
  rejectHandshake: "ssl_reject_handshake directive",
  stream: "stream module",
  streamRealip: "realip module for stream",
  streamTls: "TLS modules for stream",
  upstreamResolve: "resolve parameter of servers",
  upstreamSan: "module that checks the names of a backend's certificate",
};
