/**
 * Connections to an auth service that are kept (auth-keepalive). nginx keeps connections only of an
 * upstream block, and a block's names are resolved at the configuration test, where one dead name
 * refuses everything; so a block has an address: that of the URL, or the cluster IP of the Service
 * that the URL's host is the DNS name of.
 */
import { isIPv4 } from "node:net";
import type { Context } from "../declare.ts";

export interface AuthPool {
  /** As nginx writes it, IPv6 in brackets. */
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

/** Whether the author asks for it: each of the three numbers can switch it off (RS-16.8). */
export function keepsAlive({ keepalive, keepaliveRequests, keepaliveTimeout }: KeepaliveFields): boolean {
  return Math.min(keepalive, keepaliveRequests, keepaliveTimeout) > 0;
}

/**
 * Whether the author has a word in where a question ends: by a snippet, or with CONNECT, whose good
 * answer opens a tunnel.
 */
function framesItself({ method, snippet }: KeepaliveFields): boolean {
  return snippet !== "" || method === "CONNECT";
}

/** Undefined where the host has no address that stays. */
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
