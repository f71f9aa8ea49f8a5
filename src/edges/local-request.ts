/**
 * Reads requests to the controller's own small servers: their URL, and whether they come from this
 * machine itself, for servers that answer no other machine. A loopback peer alone proves little. A
 * web page in a local browser may have a name that resolves to 127.0.0.1 (DNS rebinding); such a
 * request has that name as its Host. A tenant may lead nginx here; such a request has headers of a
 * proxy.
 */
import type { IncomingMessage } from "node:http";
import { isLoopback } from "../core/kinds/addresses.ts";

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

/** The names of headers that only proxies add. */
const ofProxies = /^(forwarded|via|x-real-ip|x-client-ip|x-forwarded-.*|x-original-.*)$/;

type Asked = Pick<IncomingMessage, "socket" | "headers" | "url">;

/** Returns why `request` does not count as coming from this machine; undefined if it does. */
export function whyNotLocal({ socket, headers, url = "/" }: Asked): string | undefined {
  if (!isLoopback(socket.remoteAddress ?? "")) return "only this machine may ask: use kubectl port-forward\n";
  // A target that names a host decides about the host of the request (RFC 9112 3.2.2).
  const hosts = [headers.host, ...(url.startsWith("/") ? [] : [hostIn(url)])];
  if (!hosts.every((host) => namesThisMachine(host))) return "ask for it as localhost or 127.0.0.1\n";
  const proxied = Object.keys(headers).find((name) => ofProxies.test(name));
  return proxied === undefined ? undefined : `a proxy may not ask, and there is a header ${proxied}\n`;
}

function hostIn(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
