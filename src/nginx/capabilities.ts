/**
 * Detects the capabilities of the installed nginx once. All differences between versions and builds
 * are decided here; the template only gets the names of capabilities. A module counts when it is
 * compiled in or when its file exists; the latter needs a `load_module` line.
 */
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { runToEnd } from "./process/run.ts";

export type Capabilities = Readonly<NonNullable<ReturnType<typeof readCapabilities>>>;

export type AskedCapabilities =
  | { readonly ok: true; readonly capabilities: Capabilities }
  | { readonly ok: false; readonly why: string };

/**
 * Examines the nginx at `binary`. A bare name is looked up in `path` (as in the environment) and in
 * the usual folders of servers.
 */
export async function askCapabilities(binary: string, path: string): Promise<AskedCapabilities> {
  const file = findBinary(binary, path);
  if (file === undefined) return { ok: false, why: missing(binary) };
  const run = await runToEnd(file, ["-V"]);
  const capabilities = run.ended && run.exitCode === 0 ? readCapabilities(file, run.stderr, existsSync) : undefined;
  if (capabilities !== undefined) return { ok: true, capabilities };
  const why = !run.ended
    ? `failed: ${run.why}`
    : run.exitCode !== 0
      ? `ended with code ${run.exitCode}`
      : "was not understood";
  return { ok: false, why: `${file} is not an nginx that can be used: its -V ${why}.` };
}

const missing = (binary: string): string =>
  `${binary} was not found; install nginx 1.22 or newer with its Lua and stream modules ` +
  "(on Debian: nginx libnginx-mod-http-lua libnginx-mod-stream libnginx-mod-http-headers-more-filter), " +
  "or set NGINX_BINARY to where it is.";

function findBinary(binary: string, path: string): string | undefined {
  if (isAbsolute(binary)) return existsSync(binary) ? binary : undefined;
  const folders = [...path.split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"].filter(isAbsolute);
  return folders.map((folder) => join(folder, binary)).find((file) => existsSync(file));
}

/**
 * Modules with files of their own: the name, the files, and the word in `--add-module` that shows
 * that a module is compiled in.
 */
const modules = [
  { name: "ndk", files: ["ndk_http_module.so"], source: "ngx_devel_kit" },
  { name: "lua", files: ["ngx_http_lua_module.so"], source: "lua-nginx-module", needs: "ndk" },
  { name: "stream", files: ["ngx_stream_module.so"], flag: "--with-stream" },
  { name: "headersMore", files: ["ngx_http_headers_more_filter_module.so"], source: "headers-more-nginx-module" },
  { name: "brotli", files: ["ngx_http_brotli_filter_module.so"], source: "ngx_brotli" },
  { name: "geoip2", files: ["ngx_http_geoip2_module.so"], source: "ngx_http_geoip2_module" },
  { name: "streamGeoip2", files: ["ngx_stream_geoip2_module.so"], source: "ngx_http_geoip2_module", needs: "stream" },
  { name: "modsecurity", files: ["ngx_http_modsecurity_module.so"], source: "ModSecurity-nginx" },
  { name: "otel", files: ["ngx_otel_module.so", "otel_ngx_module.so"], source: "otel" },
  { name: "digest", files: ["ngx_http_auth_digest_module.so"], source: "auth-digest" },
  { name: "keptBody", files: ["ngx_http_kept_request_body_module.so"] },
  { name: "upstreamSan", files: ["ngx_http_upstream_ssl_san_module.so"] },
] as const satisfies readonly Module[];

interface Module {
  readonly name: string;
  /** Possible names of the module's file; the first existing one counts. */
  readonly files: readonly string[];
  readonly source?: string;
  readonly flag?: string;
  readonly needs?: string;
}

type ModuleName = (typeof modules)[number]["name"];

/**
 * Reads the output of `nginx -V`; returns undefined for any other text. `exists` returns whether a
 * module's file exists.
 */
export function readCapabilities(binary: string, output: string, exists: (path: string) => boolean) {
  const version = /nginx version: \S+\/(\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (version === undefined) return undefined;
  const flags = output.split("configure arguments:")[1] ?? "";
  const has = (flag: string): boolean => new RegExp(`(^|\\s)${flag}(\\s|$)`).test(flags);
  const folder = /--modules-path=(\S+)/.exec(flags)?.[1] ?? join(/--prefix=(\S+)/.exec(flags)?.[1] ?? "/", "modules");
  const found = findModules(flags, has, (file) => (exists(join(folder, file)) ? join(folder, file) : undefined));
  const able = (name: ModuleName): boolean => found.has(name);
  return {
    /** The program file that was examined, and that will run. */
    binary,
    /** For example `1.22.1`. */
    version,
    /** Paths for `load_module`, in the order that nginx needs. */
    modules: [...found.values()].filter((file) => file !== "compiled in"),
    lua: able("lua"),
    stream: able("stream"),
    streamSslPreread: able("stream") && has("--with-stream_ssl_preread_module"),
    /** Whether streams can end TLS, and can read the name that a client sends without doing so. */
    streamTls: able("stream") && has("--with-stream_ssl_module") && has("--with-stream_ssl_preread_module"),
    streamRealip: able("stream") && has("--with-stream_realip_module"),
    headersMore: able("headersMore"),
    brotli: able("brotli"),
    geoip2: able("geoip2"),
    streamGeoip2: able("streamGeoip2"),
    modsecurity: able("modsecurity"),
    otel: able("otel"),
    digest: able("digest"),
    /** Whether nginx has Sluice's own module, which keeps the bodies of calls for their copies. */
    keptBody: able("keptBody"),
    /** Whether nginx has Sluice's own module, which checks the names in backends' certificates. */
    upstreamSan: able("upstreamSan"),
    realip: has("--with-http_realip_module"),
    authRequest: has("--with-http_auth_request_module"),
    stubStatus: has("--with-http_stub_status_module"),
    sub: has("--with-http_sub_module"),
    http2: has("--with-http_v2_module"),
    /** `http2 on` instead of a parameter of `listen`: nginx 1.25.1. */
    http2Directive: atLeast(version, "1.25.1"),
    http3: has("--with-http_v3_module"),
    /** `ssl_reject_handshake`: nginx 1.19.4. */
    rejectHandshake: atLeast(version, "1.19.4"),
    /** Compiled with `--with-debug`. */
    debug: has("--with-debug"),
    /** `server NAME service=… resolve` in an upstream: nginx 1.27.3. */
    upstreamResolve: atLeast(version, "1.27.3"),
    /** `keepalive_min_timeout`: nginx 1.27.4. */
    keepaliveMinTimeout: atLeast(version, "1.27.4"),
  };
}

function findModules(
  flags: string,
  has: (flag: string) => boolean,
  fileOf: (name: string) => string | undefined,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, files, source, flag, needs } of modules as readonly Module[]) {
    const added = source !== undefined && new RegExp(`--add-module=\\S*${source}`).test(flags);
    const place = added || (flag !== undefined && has(flag)) ? "compiled in" : files.map(fileOf).find(Boolean);
    if (place !== undefined && (needs === undefined || found.has(needs))) found.set(name, place);
  }
  return found;
}

function atLeast(version: string, wanted: string): boolean {
  const [had, asked] = [version, wanted].map((text) => text.split(".").map(Number));
  const differing = had!.findIndex((part, at) => part !== asked![at]);
  return differing < 0 || had![differing]! > asked![differing]!;
}
