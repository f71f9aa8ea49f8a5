/**
 * The machine for which the tools render: the project's own image, whatever machine runs the tool.
 * So the answer is the same on every machine, and no nginx is needed.
 */

import { machineFlags } from "../controller/flags/options.ts";
import type { Flags } from "../controller/flags.ts";
import { machineOf } from "../controller/machine.ts";
import type { Machine, Place } from "../core/tokens/machine.ts";
// Only this file of `nginx/` is imported, because the others take time to load and only a
// controller needs them.
import { pathsOf } from "../nginx/folder/paths.ts";
import type { Capabilities } from "../nginx/index.ts";

const modules = [
  "ndk_http_module.so",
  "ngx_http_lua_module.so",
  "ngx_stream_module.so",
  "ngx_http_headers_more_filter_module.so",
  "ngx_http_brotli_filter_module.so",
  "ngx_http_geoip2_module.so",
  "ngx_stream_geoip2_module.so",
  "ngx_http_modsecurity_module.so",
  "ngx_http_kept_request_body_module.so",
  "ngx_http_upstream_ssl_san_module.so",
].map((file) => `/usr/lib/nginx/modules/${file}`);

/** The nginx of Debian testing; a test of the image compares it with the real one. */
export const imageCapabilities: Capabilities = {
  binary: "/usr/sbin/nginx",
  version: "1.30.6",
  modules,
  lua: true,
  stream: true,
  streamSslPreread: true,
  streamRealip: true,
  streamTls: true,
  upstreamResolve: true,
  headersMore: true,
  brotli: true,
  geoip2: true,
  streamGeoip2: true,
  modsecurity: true,
  otel: false,
  digest: false,
  keptBody: true,
  upstreamSan: true,
  realip: true,
  authRequest: true,
  stubStatus: true,
  sub: true,
  http2: true,
  http2Directive: true,
  http3: true,
  rejectHandshake: true,
  debug: false,
  keepaliveMinTimeout: true,
};

const place: Place = {
  cpus: 1,
  openFiles: 1_048_576,
  ipv6: true,
  nameservers: ["10.96.0.10"],
  backlog: 4096,
  user: undefined,
  stdoutOpens: true,
  logVolume: false,
};

export function imageMachine(flags: Flags): Machine {
  const folder = pathsOf(flags.runFolder ?? "/run/sluice");
  const logs = { accessLog: "/dev/stdout", errorLog: "stderr" };
  const given = machineFlags(flags, logs);
  const machine = machineOf(imageCapabilities, place, folder, given);
  const files = { ...machine.files, geoipDatabases: given.geoipDatabases };
  return {
    ...machine,
    files,
    paths: { ...machine.paths, lua: "/opt/sluice/nginx/lua" },
  };
}
