/**
 * The differences between two answers to one request. Dates, ids and headers of a single connection
 * are ignored.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { AskedRequest } from "../../ask/matcher/request.ts";
import type { Address } from "./address.ts";
import type { Answer } from "./answer.ts";
import { withoutCredentials } from "./credentials.ts";
import { masked, withoutTokens } from "./unstable.ts";

export interface AnswerDifference {
  readonly field: "answer" | "status" | "redirect" | "header" | "body";
  /** The name of a header. */
  readonly name?: string;
  /** A text for people: a status, a value, a length. */
  readonly old: string;
  readonly new: string;
}

/** Headers that depend on time, connection, program or framing. */
const passing = new Set(
  [
    ["age", "connection", "content-length", "date", "etag", "keep-alive", "server", "transfer-encoding", "via"],
    ["server-timing", "traceparent", "tracestate", "x-request-id", "x-runtime"],
  ].flat(),
);

export interface Side {
  readonly answer: Answer;
  readonly address: Address;
}

export function differencesOf(
  request: AskedRequest,
  old: Side,
  fresh: Side,
  ignored: ReadonlySet<string>,
): readonly AnswerDifference[] {
  const [a, b] = [old.answer, fresh.answer];
  if (!a.ok || !b.ok) {
    if (!a.ok && !b.ok) return [];
    return [{ field: "answer", old: a.ok ? String(a.status) : a.why, new: b.ok ? String(b.status) : b.why }];
  }
  const differences: AnswerDifference[] = [];
  if (a.status !== b.status) differences.push({ field: "status", old: String(a.status), new: String(b.status) });
  const [was, is] = [redirectOf(request, a, old.address), redirectOf(request, b, fresh.address)];
  // If only one side redirects, the status shows it already, but the target helps the reader.
  if (was !== is) differences.push({ field: "redirect", old: was ?? "none", new: is ?? "none" });
  differences.push(...headerDifferences(a.headers, b.headers, ignored));
  // Answers with different statuses have different bodies, which adds no information.
  if (a.status === b.status && request.method !== "HEAD") differences.push(...bodyDifference(a, b));
  return differences;
}

type Answered = Extract<Answer, { ok: true }>;

/** Returns the target of a redirect, without a port that belongs to this address alone. */
function redirectOf(
  { scheme, host }: AskedRequest,
  { status, headers }: Answered,
  address: Address,
): string | undefined {
  const { location } = headers;
  if (location === undefined || status < 300 || status > 399) return undefined;
  const [, to, name, port, rest = ""] = /^(https?):\/\/([^/?#:]+|\[[^\]]*\])(?::(\d+))?(.*)$/is.exec(location) ?? [];
  if (to === undefined || name === undefined) return withoutTokens(withoutCredentials(location));
  const target = to.toLowerCase() as AskedRequest["scheme"];
  const isOwnPort = port !== undefined && Number(port) === address[target]?.port;
  const isUsual = port === (target === "http" ? "80" : "443");
  const isSame =
    name.toLowerCase() === host.replace(/:\d+$/, "") && target === scheme && port === /:(\d+)$/.exec(host)?.[1];
  const shown = port === undefined || isOwnPort || isUsual || isSame ? "" : `:${port}`;
  return `${target}://${name.toLowerCase()}${shown}${withoutTokens(withoutCredentials(rest === "" ? "/" : rest))}`;
}

function headerDifferences(
  old: IncomingHttpHeaders,
  fresh: IncomingHttpHeaders,
  ignored: ReadonlySet<string>,
): readonly AnswerDifference[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].sort();
  return names.flatMap((name): AnswerDifference[] => {
    if (passing.has(name) || ignored.has(name) || name === "location") return [];
    const [was, is] = [headerText(name, old[name]), headerText(name, fresh[name])];
    return was === is ? [] : [{ field: "header", name, old: was ?? "absent", new: is ?? "absent" }];
  });
}

/**
 * Returns the values of a header as one text. The order of values counts, except in Vary. A cookie
 * is compared by its name and attributes.
 */
function headerText(name: string, value: string | readonly string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (name === "set-cookie") return [value].flat().map(cookieShape).sort().join(", ");
  const text = [value].flat().join(", ");
  if (name === "vary") return [...new Set(text.toLowerCase().split(/\s*,\s*/))].sort().join(", ");
  return masked(text);
}

const cookieShape = (cookie: string): string => {
  const [pair = "", ...attributes] = cookie.split(/;\s*/);
  const kept = attributes.filter((one) => !/^expires=/i.test(one)).map((one) => one.toLowerCase());
  return [pair.split("=", 1)[0], ...kept.sort()].join("; ");
};

function bodyDifference(a: Answered, b: Answered): readonly AnswerDifference[] {
  if (a.body.equals(b.body)) return [];
  const [was, is] = [textOf(a), textOf(b)];
  if (was === undefined || is === undefined)
    return [{ field: "body", old: `${a.body.length} bytes`, new: `${b.body.length} bytes` }];
  const [before, after] = [masked(was), masked(is)];
  if (before === after) return [];
  const at = firstDifference(before, after);
  return [{ field: "body", old: excerpt(before, at), new: excerpt(after, at) }];
}

/** Returns undefined for bytes that are not text, or are compressed. */
function textOf({ headers, body }: Answered): string | undefined {
  if (headers["content-encoding"] !== undefined) return undefined;
  const text = body.toString("utf8");
  return text.includes("\uFFFD") || text.includes("\0") ? undefined : text;
}

function firstDifference(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at += 1) if (a[at] !== b[at]) return at;
  return most;
}

/**
 * Returns forty characters around a difference, so that a report does not repeat whole pages, or
 * personal data in them.
 */
function excerpt(text: string, at: number): string {
  if (text === "") return "empty";
  const from = Math.max(0, at - 15);
  const part = text.slice(from, from + 40);
  return `${from > 0 ? "…" : ""}${part}${from + 40 < text.length ? "…" : ""}`;
}
