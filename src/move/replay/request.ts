/** A request that is sent to both sides of a comparison. */
import type { AskedRequest } from "../../ask/matcher/request.ts";
import { urlParts } from "../../ask/matcher/url.ts";

export interface ReplayedRequest extends AskedRequest {
  readonly body?: string;
}

/** Whether the method changes nothing, so that the request may be repeated. */
export const isSafe = ({ method }: ReplayedRequest): boolean => ["GET", "HEAD", "OPTIONS"].includes(method);

/** Returns a key. Requests with the same key are the same request. */
export function keyOf({ method, scheme, host, target, headers, body = "" }: ReplayedRequest): string {
  return JSON.stringify([method, scheme, host, target, [...headers].sort(), body]);
}

/**
 * Reads `https://shop.example.com/cart?x=1`. The scheme is http if none is given; undefined if
 * the text is no URL.
 */
export function requestOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): ReplayedRequest | undefined {
  const parts = urlParts(url);
  if (parts === undefined) return undefined;
  const { scheme = "http", host, target } = parts;
  return { method, scheme, host: host.toLowerCase(), target, headers: new Map(Object.entries(headers)) };
}
