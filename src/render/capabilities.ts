/** What the nginx at hand can do, as far as a rendering depends on it; `nginx/` finds out. A name here is a word in a Problem, too. */
export interface Capabilities {
  readonly brotli: boolean;
  readonly debug: boolean;
  readonly geoip2: boolean;
  readonly headersMore: boolean;
  readonly lua: boolean;
  readonly modsecurity: boolean;
  readonly otel: boolean;
  readonly realip: boolean;
  readonly rejectHandshake: boolean;
  readonly stream: boolean;
  readonly http3: boolean;
}

export type Capability = keyof Capabilities;

/** What each is called in a sentence: "nginx here has no …". */
export const capabilityNames: Readonly<Record<Capability, string>> = {
  brotli: "brotli module",
  debug: "debugging support",
  geoip2: "GeoIP2 module",
  headersMore: "headers-more module",
  lua: "Lua module",
  modsecurity: "ModSecurity module",
  otel: "OpenTelemetry module",
  realip: "realip module",
  rejectHandshake: "ssl_reject_handshake directive",
  stream: "stream module",
  http3: "HTTP/3",
};
