/**
 * Reads requests to the controller's own small servers: their URL, and whether they come from this
 * machine itself, for servers that answer no other machine. A loopback peer alone proves little. A
 * web page in a local browser may have a name that resolves to 127.0.0.1 (DNS rebinding); such a
 * request has that name as its Host. A tenant may lead nginx here; such a request has headers of a
 * proxy.
 */
import type { IncomingMessage } from "node:http";
import { isLoopback } from "./kinds/addresses.ts";

/**
 * Returns path and query of a request. A path may begin with two slashes, after which `new URL`
 * with a base would look for a host; whatever is no URL at all counts as `/`.
 */
export function urlOf({ url = "/" }: Pick<IncomingMessage, "url">): URL {
  const whole = url.startsWith("/") ? `http://controller${url}` : url;
  return URL.canParse(whole) ? new URL(whole) : new URL("http://controller/");
}

const ownNames = ["localhost", "127.0.0.1", "::1"];

/**
 * Whether the Host header names this machine, with any port. `others` are further addresses that
 * count.
 */
export function namesThisMachine(header: string | undefined, ...others: readonly string[]): boolean {
  const name = (header ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return ownNames.includes(name.toLowerCase()) || others.includes(name);
}

const proxyHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/** Returns why `request` does not count as coming from this machine; undefined if it does. */
export function whyNotLocal({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): string | undefined {
  if (!isLoopback(socket.remoteAddress ?? "")) return "only this machine may ask: use kubectl port-forward\n";
  if (!namesThisMachine(headers.host)) return "ask for it as localhost or 127.0.0.1\n";
  const proxied = proxyHeaders.find((name) => headers[name] !== undefined);
  return proxied === undefined ? undefined : `a proxy may not ask, and there is a header ${proxied}\n`;
}
