/**
 * Checks the conditions of a route beside its path, by the rules of
 * nginx/lua/sluice/gateway/conditions.lua. Sentences about a request show no values of it, because
 * a header or a parameter may be a password.
 */
import type { Conditions, ValueCondition } from "../../core/model/configuration.ts";
import { shownValue } from "../../core/model/credentials.ts";
import { type Pattern, patternOf } from "./pattern.ts";
import type { AskedRequest, ReadRequest } from "./request.ts";

export interface Asking {
  readonly request: ReadRequest;
  readonly asked: AskedRequest;
  /** Set for the request that a preflight announces; the conditions are those of that request. */
  readonly announced?: Announced;
}

export interface Announced {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: readonly string[];
  /** Whether headers may also come without being announced. */
  readonly isAny: boolean;
}

/** Headers that browsers send without announcing them, or with other values than in a preflight. */
const unannounced: readonly string[] = [
  ...["accept", "accept-language", "authorization", "content-language", "content-type", "cookie", "range"],
];

/**
 * Returns the requests that a preflight may stand for, in the order in which routes are searched
 * for them; none for other requests.
 */
export function announcedBy({ method, headers }: AskedRequest): readonly Announced[] {
  const announced = headers.get("access-control-request-method");
  if (method !== "OPTIONS" || !headers.has("origin") || announced === undefined) return [];
  const names = (headers.get("access-control-request-headers") ?? "").toLowerCase().replace(/\s/g, "").split(",");
  return [false, true].map((isAny) => ({ method: announced, headers: names, isAny }));
}

/** Whether the announced request may fulfil a condition on a header that the preflight does not. */
function mayCome(name: string, value: string | undefined, announced: Announced | undefined): boolean {
  if (announced === undefined) return false;
  const lower = name.toLowerCase();
  if ([...announced.headers, ...unannounced].includes(lower)) return true;
  return announced.isAny && value === undefined;
}

/** The condition that fails; `name` is that of a header, a query parameter, or a part of a call. */
export interface UnfulfilledPart {
  readonly part: "method" | "call" | "headers" | "query";
  readonly name?: string;
}

export type Unfulfilled =
  | { readonly kind: "lost"; readonly text: string }
  /** Only nginx can apply the pattern. */
  | { readonly kind: "unclear"; readonly pattern: string };

export function unfulfilled(conditions: Conditions | undefined, asking: Asking): Unfulfilled | undefined {
  if (conditions === undefined) return undefined;
  const { announced } = asking;
  const { headers } = asking.asked;
  const { method } = announced ?? asking.asked;
  const lost = (part: UnfulfilledPart): Unfulfilled => ({ kind: "lost", text: lostWords(conditions, part, asking) });
  if (conditions.method !== undefined && conditions.method !== method) return lost({ part: "method" });
  const isCall = announced
    ? method === "POST"
    : headers.get("content-type")?.toLowerCase().startsWith("application/grpc") === true;
  if (conditions.call !== undefined && !isCall) return lost({ part: "call" });
  for (const { part, one } of valuesIn(conditions)) {
    const { name } = one;
    const value = askedValue({ part, name }, asking);
    if (part === "headers" && mayCome(name, value, announced)) continue;
    if (value === undefined) return lost({ part, name });
    if (one.type === "exact") {
      if (value !== one.value) return lost({ part, name });
      continue;
    }
    const pattern = wholePattern(one.value);
    if (pattern === undefined) return { kind: "unclear", pattern: one.value };
    const fits = pattern.test(value);
    if (fits === undefined) return { kind: "unclear", pattern: one.value };
    if (!fits) return lost({ part, name });
  }
  return undefined;
}

/** Returns a sentence about the condition that fails. */
export function lostWords(conditions: Conditions, { part, name }: UnfulfilledPart, asking: Asking): string {
  if (part === "method") return `the method is ${asking.asked.method}, not ${conditions.method}`;
  if (name === undefined) return "the request is not a gRPC call";
  const what = { call: `the ${name}`, headers: `header ${name}`, query: `query parameter ${name}` }[part];
  const found = valuesIn(conditions).find((other) => other.part === part && sameName(part, other.one.name, name));
  if (found === undefined) return `${what} does not fit`;
  const { one } = found;
  if (askedValue({ part, name }, asking) === undefined) return `${what} is missing`;
  const wanted = part === "call" ? one.value : shownValue(one.name, one.value);
  return one.type === "exact" ? `${what} is not ${wanted}` : `${what} does not match ${wanted}`;
}

function sameName(part: UnfulfilledPart["part"], one: string, other: string): boolean {
  return part === "headers" ? one.toLowerCase() === other.toLowerCase() : one === other;
}

interface ConditionOn {
  readonly part: "call" | "headers" | "query";
  readonly one: ValueCondition;
}

/** Returns the conditions in the order in which nginx compares them. */
function valuesIn({ call = [], headers, query }: Conditions): readonly ConditionOn[] {
  return [
    ...call.map((one) => ({ part: "call", one }) as const),
    ...headers.map((one) => ({ part: "headers", one }) as const),
    ...query.map((one) => ({ part: "query", one }) as const),
  ];
}

function askedValue({ part, name = "" }: UnfulfilledPart, { request, asked }: Asking): string | undefined {
  if (part === "headers") return asked.headers.get(name.toLowerCase());
  if (part === "query") return parameter(request.query, name);
  const [, service, method] = /^\/(.+)\/([^/]+)$/.exec(request.uri) ?? [];
  return name === "service" ? service : method;
}

export function wholePattern(source: string): Pattern | undefined {
  return patternOf(`^(?:${source})$`, "");
}

/** Returns the value of the first parameter of that name, decoded. */
function parameter(query: string, name: string): string | undefined {
  const pairs = query
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "");
  const found = pairs.find((pair) => decoded(/^[^=]*/.exec(pair)![0]) === name);
  if (found === undefined) return undefined;
  return found.includes("=") ? decoded(found.slice(found.indexOf("=") + 1)) : "";
}

function decoded(text: string): string {
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return text.includes("%") ? Buffer.from(bytes, "latin1").toString() : bytes;
}
