/**
 * Turns a reply into the form of the expectations: parts that vary from run to run are left out or
 * replaced. The recordings were made by the same rules. A looser rule would hide differences, and a
 * stricter one would report false ones.
 */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Seen } from "../support/echo-backend.ts";
import type { Answer } from "./answer.ts";
import { clientAddress } from "./connection.ts";
import type { Reply } from "./reply.ts";
import type { RequestSpec } from "./request-spec.ts";

const varying = [
  ["date", "content-length", "connection", "transfer-encoding", "server", "keep-alive"],
  ["etag", "last-modified", "accept-ranges"],
].flat();
const hopHeaders = ["connection", "content-length", "transfer-encoding"];
/**
 * The header of Sluice that ends loops (`docs/differences.md`). It differs with each Location, and
 * no recording contains it.
 */
const added = "x-sluice-hops";
const longestBody = 300;

export function normalised(reply: Reply, spec: RequestSpec): Pick<Answer, "status" | "headers" | "seen" | "body"> {
  const text = textOf(reply);
  const seen = seenIn(text);
  const headers = answerHeaders(reply, spec);
  if (seen) {
    const { "content-type": _, ...others } = headers;
    return { status: reply.status, headers: others, seen: normalisedSeen(seen, spec) };
  }
  const body = spec.method === "HEAD" ? "" : scrub(text.replace(/\s+/g, " ").trim());
  return { status: reply.status, headers, body: [...body].slice(0, longestBody).join("") };
}

/** Cookies that a reply sets, by name. */
export function cookiesSetBy(reply: Reply): readonly (readonly [name: string, value: string])[] {
  const lines = reply.headers.filter(([name]) => name === "set-cookie").map(([, value]) => value);
  return lines.map((line) => {
    const [pair = ""] = line.split(";");
    const equals = pair.indexOf("=");
    return equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
}

function scrub(text: string): string {
  return text
    .replace(/\b[0-9a-f]{32}\b/g, "<id>")
    .replaceAll(clientAddress, "<client>")
    .replace(/nginx\/[\d.]+/g, "nginx")
    .replace(/\bnonce="[0-9a-f]+"/g, 'nonce="<nonce>"')
    .replace(/-----BEGIN%20CERTIFICATE-----[\w%.~-]*?-----END%20CERTIFICATE-----(%0A)?/g, "<certificate>")
    .replace(/x{200,}/g, (letters) => `<x*${letters.length}>`)
    .replace(/(expires=)[A-Z][a-z]{2}, [^;]+GMT/gi, "$1<date>");
}

function answerHeaders({ headers }: Reply, spec: RequestSpec): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === "x-echo" || (varying.includes(name) && !spec.show?.includes(name))) continue;
    kept[name] = name in kept ? `${kept[name]} | ${scrub(value)}` : scrub(value);
  }
  if (kept["set-cookie"] !== undefined) kept["set-cookie"] = hideAffinity(kept["set-cookie"], String.raw`\| `, spec);
  return kept;
}

function normalisedSeen(seen: Seen, spec: RequestSpec): Partial<Seen> {
  const shown = Object.entries(seen.headers).filter(
    ([name]) => name !== added && (spec.allHeaders || !hopHeaders.includes(name)),
  );
  const headers = Object.fromEntries(shown.map(([name, value]) => [name, scrub(value)]));
  if (headers.cookie !== undefined) headers.cookie = hideAffinity(headers.cookie, "; ", spec);
  return { ...seen, headers, url: scrub(seen.url) };
}

/**
 * Replaces the value of an affinity cookie, which need not equal ingress-nginx's. `between` is the
 * pattern of the separator of two cookies.
 */
function hideAffinity(cookies: string, between: string, { keepCookieValue, cookie }: RequestSpec): string {
  if (keepCookieValue) return cookies;
  const words = ["INGRESSCOOKIE", "route", "sticky", ...(cookie ? [cookie.replace(/\W/g, "\\$&")] : [])].join("|");
  const pattern = new RegExp(`((?:^|${between})[A-Za-z_-]*(?:${words})[A-Za-z_-]*=)[^;|]+`, "g");
  return cookies.replace(pattern, "$1<cookie>");
}

/**
 * Returns the request as the backend saw it, which stands in the body or, for a websocket, in
 * `X-Echo`.
 */
function textOf({ headers, body }: Reply): string {
  const value = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1];
  const echo = value("x-echo");
  if (echo !== undefined) return Buffer.from(echo, "base64").toString();
  if (body.length > 0 && value("content-encoding") === "gzip") return gunzipSync(body).toString();
  if (body.length > 0 && value("content-encoding") === "br") return brotliDecompressSync(body).toString();
  return body.toString();
}

function seenIn(text: string): Seen | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "backend" in value ? (value as Seen) : undefined;
  } catch {
    return undefined;
  }
}
