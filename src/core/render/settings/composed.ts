/** Directives that depend on several keys, or on a key and the machine. */

import { isVariableName, withGroupVariables } from "../../kinds/variables.ts";
import { proxyBufferTokens } from "../../settings/buffer-sizes.ts";
import type { Context } from "../../settings/declare.ts";
import { nextUpstreamTokens } from "../../settings/next-upstream-words.ts";
import { replacementView } from "../../settings/proxy.ts";
import { settings as declarations, type Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import type { Directive } from "../../tokens/place.ts";
import { Token } from "../../tokens/token.ts";
import { errorLogOf } from "./logs.ts";

type Line = readonly [name: string, ...words: (Token | string)[]];

export function composed(settings: Settings, can: Capabilities, machine: Machine): Record<Context, Directive[]> {
  const stream = can.stream ? [...errorLog(settings, machine, "stream"), ...resolver(settings, machine)] : [];
  return {
    main: directives(processes(settings, machine)),
    events: directives([["worker_connections", Token.count(connectionsOf(settings, machine))]]),
    http: directives([
      ...errorLog(settings, machine, "http"),
      ...resolver(settings, machine),
      ...tls(settings, machine),
      ...headers(settings, can),
      ...gzip(settings),
      ...buffers(settings),
      ...retries(settings),
      ...redirects(settings),
      ...(can.http2 && can.http2Directive ? [["http2", settings.useHttp2 ? "on" : "off"] as const] : []),
      ...constants,
      ["map_hash_bucket_size", Token.count(mapBucketOf(settings))],
    ]),
    stream: directives(stream),
  };
}

/**
 * Directives that ingress-nginx prints whatever its ConfigMap has, where nginx's own default
 * differs.
 */
const constants: readonly Line[] = [
  ["aio", "threads"],
  ["tcp_nopush", "on"],
  ["log_subrequest", "on"],
  ["reset_timedout_connection", "on"],
];

function directives(lines: readonly Line[]): Directive[] {
  const token = (word: Token | string) => (typeof word === "string" ? Token.name(word) : word);
  return lines.map(([name, ...words]) => ({ name: Token.name(name), value: Token.words(words.map(token)) }));
}

/**
 * Returns the most open files of a worker: the setting, or the process's limit minus those that the
 * master needs, at least 1024.
 */
function openFilesOf({ maxWorkerOpenFiles }: Settings, { openFiles }: Machine): number {
  return maxWorkerOpenFiles > 0 ? maxWorkerOpenFiles : Math.max(1024, openFiles - 1024);
}

function processes(settings: Settings, machine: Machine): Line[] {
  const { workerProcesses: number } = settings;
  return [
    ["worker_processes", Token.count(number === "auto" ? Math.max(1, machine.cpus) : number)],
    ["worker_rlimit_nofile", Token.count(openFilesOf(settings, machine))],
  ];
}

/**
 * Returns the connections of one worker. nginx needs some for its own listeners, so a tiny number
 * is raised.
 */
function connectionsOf(settings: Settings, machine: Machine): number {
  const { maxWorkerConnections: set } = settings;
  return Math.max(64, set > 0 ? set : Math.floor((openFilesOf(settings, machine) * 3) / 4));
}

function errorLog(settings: Settings, machine: Machine, context: "http" | "stream"): Line[] {
  const { errorLogLevel: set } = settings;
  const level = machine.talkative && set === declarations.errorLogLevel.default ? "info" : set;
  const own: Line[] = context === "http" ? [["error_log", Token.word(machine.paths.upstreamErrors), "error"]] : [];
  return [["error_log", errorLogOf(settings, machine, context), level], ...own];
}

/**
 * Returns the parameters of `resolver` where the controller answers, with allowed addresses only.
 */
export function checkedResolver(settings: Settings, machine: Machine, port: number): Token {
  const words = [`127.0.0.1:${port}`, "valid=30s", ...(isWithoutIpv6(settings, machine) ? ["ipv6=off"] : [])];
  return Token.words(words.map(Token.name));
}

const isWithoutIpv6 = ({ disableIpv6Dns }: Settings, { ipv6 }: Machine): boolean => disableIpv6Dns ?? !ipv6;

/** Returns the line with the machine's nameservers; without any there is no line. */
function resolver(settings: Settings, machine: Machine): Line[] {
  const { nameservers } = machine;
  const withoutIpv6 = isWithoutIpv6(settings, machine);
  const usable = nameservers.filter((address) => !withoutIpv6 || !address.includes(":"));
  if (usable.length === 0) return [];
  const addresses = usable.map((address) => (address.includes(":") ? `[${address}]` : address));
  return [["resolver", ...addresses, "valid=30s", ...(withoutIpv6 ? ["ipv6=off"] : [])]];
}

function tls(settings: Settings, { files }: Machine): Line[] {
  const lines: Line[] = [];
  if (settings.sslCiphers !== undefined) lines.push(["ssl_prefer_server_ciphers", "on"]);
  if (settings.sslSessionCache) lines.push(["ssl_session_cache", `shared:SSL:${settings.sslSessionCacheSize}`]);
  if (files.dhParam !== undefined) lines.push(["ssl_dhparam", Token.word(files.dhParam)]);
  if (settings.sslSessionTickets && files.ticketKey !== undefined) {
    lines.push(["ssl_session_ticket_key", Token.word(files.ticketKey)]);
  }
  return lines;
}

/**
 * Returns the lines for headers of answers. Strict-Transport-Security is left out if the
 * controller's own replaces it, and so is a Server header that is removed.
 */
function headers(settings: Settings, can: Capabilities): Line[] {
  const elsewhere = ["strict-transport-security", ...(settings.serverTokens ? [] : ["server"])];
  const added = settings.followed.addHeaders
    .filter(({ name }) => !elsewhere.includes(name.toLowerCase()))
    .map(({ name, value }): Line => ["more_set_headers", headerLine(name, value)]);
  return [...serverHeader(settings, can), ...(can.headersMore ? added : [])];
}

/** Returns the directive for a header with its value. Without a value the header is removed. */
function headerLine(name: string, value: string): Token {
  const text = value === "" ? `${name}:` : `${name}: ${withGroupVariables(value)}`;
  return Token.variables(text, isVariableName);
}

function serverHeader({ serverTokens, allowBackendServerHeader }: Settings, can: Capabilities): Line[] {
  if (!serverTokens) return can.headersMore ? [["more_clear_headers", "Server"]] : [];
  return allowBackendServerHeader ? [["proxy_pass_header", "Server"]] : [];
}

function gzip({ useGzip }: Settings): Line[] {
  if (!useGzip) return [];
  return [
    ["gzip_proxied", "any"],
    ["gzip_vary", "on"],
    ["gzip_http_version", "1.1"],
  ];
}

function buffers(settings: Settings): Line[] {
  const tokens = proxyBufferTokens({
    number: settings.proxyBuffersNumber,
    size: settings.proxyBufferSize,
    busy: settings.proxyBusyBuffersSize,
    maxTempFile: settings.proxyMaxTempFileSize,
  });
  return Object.entries(tokens).flatMap(([name, token]): Line[] => (token === undefined ? [] : [[name, token]]));
}

function retries({ proxyNextUpstream, retryNonIdempotent }: Settings): Line[] {
  const { http, grpc } = nextUpstreamTokens(proxyNextUpstream, retryNonIdempotent);
  return [["proxy_next_upstream", http], ...(grpc === undefined ? [] : [["grpc_next_upstream", grpc] as const])];
}

/**
 * Returns the line for redirects. `default` is nginx's behaviour without the directive, and nginx
 * refuses the word above a location. A text without a replacement has no line either.
 */
function redirects({ proxyRedirectFrom: from, proxyRedirectTo: to }: Settings): Line[] {
  if (from === "off") return [["proxy_redirect", "off"]];
  if (from === "default" || to === "off") return [];
  return [["proxy_redirect", replacementView(`${from} ${to}`)]];
}

/**
 * Returns the size of a bucket, which grows with the longest pattern: nginx would refuse a map with
 * a pattern that is longer than a bucket.
 */
function mapBucketOf(settings: Settings): number {
  const patterns = [...settings.blockUserAgents, ...settings.blockReferers, ...settings.skipAccessLogUrls];
  const lengths = patterns.filter((pattern) => !pattern.startsWith("~")).map((pattern) => Buffer.byteLength(pattern));
  const needed = 2 ** Math.ceil(Math.log2(Math.max(0, ...lengths) + 32));
  return Math.max(settings.mapHashBucketSize, needed);
}
