/** One request that is sent to both addresses. */
import { urlParts } from "../../ask/matcher/url.ts";

export interface AskedRequest {
  readonly method: string;
  readonly scheme: "http" | "https";
  /** Lower case; with a port only if the client named one. */
  readonly host: string;
  /** Path and query as they are sent. */
  readonly target: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Whether the method changes nothing, so that the request may be repeated. */
export const isSafe = ({ method }: AskedRequest): boolean => ["GET", "HEAD", "OPTIONS"].includes(method);

/** Returns a key. Requests with the same key are the same request. */
export function keyOf({ method, scheme, host, target, headers, body = "" }: AskedRequest): string {
  return JSON.stringify([method, scheme, host, target, Object.entries(headers).sort(), body]);
}

/**
 * Reads `https://shop.example.com/cart?x=1`. The scheme is http if none is given; undefined if
 * the text is no URL.
 */
export function requestOf(method: string, url: string, headers: AskedRequest["headers"]): AskedRequest | undefined {
  const parts = urlParts(url);
  if (parts === undefined) return undefined;
  const { scheme = "http", host, target } = parts;
  return { method, scheme, host: host.toLowerCase(), target, headers };
}
