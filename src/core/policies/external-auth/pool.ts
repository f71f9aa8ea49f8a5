/**
 * Keeps connections to an auth service open (auth-keepalive). nginx keeps connections only for an
 * upstream block, and resolves the names in a block at the configuration test, where one dead name
 * makes it refuse everything. So a block has an address: the one in the URL, or the cluster IP of
 * the Service whose DNS name the URL has.
 */
import { isIPv4 } from "node:net";
import type { Context } from "../declare.ts";

export interface AuthPool {
  /** The address as nginx writes it, an IPv6 address in brackets. */
  readonly address: string;
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  readonly timeout: number;
  /** Whether only the author's namespace uses it. */
  readonly apart: boolean;
}

export interface KeepaliveFields {
  readonly keepalive: number;
  readonly keepaliveRequests: number;
  readonly keepaliveTimeout: number;
  readonly method: string | undefined;
  readonly snippet: string;
}

/**
 * Whether the author wants connections to be kept: each of the three numbers can turn it off
 * (RS-16.8).
 */
export function keepsAlive({ keepalive, keepaliveRequests, keepaliveTimeout }: KeepaliveFields): boolean {
  return Math.min(keepalive, keepaliveRequests, keepaliveTimeout) > 0;
}

/**
 * Whether the author can influence where a subrequest ends: by a snippet, or by the method CONNECT,
 * whose successful answer opens a tunnel.
 */
function framesItself({ method, snippet }: KeepaliveFields): boolean {
  return snippet !== "" || method === "CONNECT";
}

/** Returns undefined if the host has no fixed address. */
export function poolOf(url: string, host: string, fields: KeepaliveFields, context: Context): AuthPool | undefined {
  const address = addressOf(host, context);
  const [, scheme, port] = /^(https?):\/\/(?:\[[^\]]*\]|[^/:?]+)(?::(\d+|\$\w+))?/i.exec(url) ?? [];
  if (address === undefined || port?.startsWith("$") === true) return undefined;
  return {
    address,
    port: Number(port ?? (scheme?.toLowerCase() === "https" ? 443 : 80)),
    connections: fields.keepalive,
    requests: fields.keepaliveRequests,
    timeout: fields.keepaliveTimeout,
    apart: framesItself(fields),
  };
}

function addressOf(host: string, context: Context): string | undefined {
  if (isIPv4(host) || host.startsWith("[")) return host;
  const [, name, namespace] = /^([a-z\d-]+)\.([a-z\d-]+)\.svc(?:\.[a-z\d.-]+)?$/i.exec(host) ?? [];
  if (name === undefined) return undefined;
  const clusterIp = context.service(`${namespace}/${name}`.toLowerCase())?.spec?.clusterIP ?? "None";
  if (clusterIp === "None" || clusterIp === "") return undefined;
  return clusterIp.includes(":") ? `[${clusterIp}]` : clusterIp;
}
