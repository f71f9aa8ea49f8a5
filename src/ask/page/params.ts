/**
 * Reads the parameters of a request to `/ui/api/`. The answer to an unknown parameter, or to an
 * unusable value, is a sentence. Neither is ignored, because a filter with a mistyped name would
 * show all rows.
 */
import type { AskQuestion } from "./api/ask.ts";
import type { ListQuery } from "./lists/listing.ts";
import { shown } from "./shown.ts";

/** The most characters of a value, by the name of its parameter. */
export type Parameters = Readonly<Record<string, number>>;

const longestFilter = 200;
/** The most words of a filter, because each row is searched once for each word. */
const mostWords = 20;
export const mostRows = 500;
const usualRows = 100;
const mostHeaders = 100;

export const listParameters: Parameters = { filter: longestFilter, sort: 20, order: 4, offset: 7, limit: 3 };
/** A path may be as long as Node allows. */
export const routeParameters: Parameters = { host: 300, path: 16_000, owner: 400, listener: 800, when: 16_000 };
export const historyParameters: Parameters = { host: 300, path: 16_000, owner: 400 };
export const askParameters: Parameters = { url: 8_000, method: 20, client: 50, header: 8_000 };

/** Returns why the parameters of `part` cannot be used; undefined if they can. */
export function whyWrong(params: URLSearchParams, part: string, known: Parameters): string | undefined {
  for (const [name, value] of params) {
    const most = Object.hasOwn(known, name) ? known[name]! : undefined;
    if (most === undefined) {
      const names = Object.keys(known).join(", ") || "none";
      return `${quoted(name)} is not a parameter of ${part}, which takes ${names}`;
    }
    if (value.length > most) return `${name} has ${value.length} characters, and may have ${most}`;
    if (name !== "header" && params.getAll(name).length > 1) return `${name} is given more than once`;
  }
  return undefined;
}

/**
 * Reads the parameters of a list. `sorts` are the names of the columns. Returns a sentence if a
 * value cannot be used.
 */
export function listQuery(params: URLSearchParams, sorts: readonly string[]): ListQuery | string {
  const [sort, order] = [params.get("sort") ?? "", params.get("order") ?? ""];
  const words = [...new Set((params.get("filter") ?? "").toLowerCase().split(/\s+/))].filter((word) => word !== "");
  if (words.length > mostWords) return `filter has ${words.length} words, and may have ${mostWords}`;
  if (sort !== "" && !sorts.includes(sort)) return `sort is ${quoted(sort)}, and may be ${sorts.join(", ")}`;
  if (!["", "asc", "desc"].includes(order)) return `order is ${quoted(order)}, and may be asc or desc`;
  const offset = wholeNumber(params, "offset", { usual: 0, least: 0, most: 9_999_999 });
  if (typeof offset === "string") return offset;
  const limit = wholeNumber(params, "limit", { usual: usualRows, least: 1, most: mostRows });
  if (typeof limit === "string") return limit;
  return { words, sort, descending: order === "desc", offset, limit };
}

interface Range {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
}

function wholeNumber(params: URLSearchParams, name: string, { usual, least, most }: Range): number | string {
  const text = params.get(name);
  if (text === null) return usual;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? value
    : `${name} is ${quoted(text)}, and may be a whole number from ${least} to ${most}`;
}

/**
 * Reads a question about a request. The parameter `header` may occur several times, each as `Name:
 * value`.
 */
export function questionIn(params: URLSearchParams): AskQuestion | string {
  const url = params.get("url") ?? "";
  if (url === "") return "the parameter url is missing";
  const lines = params.getAll("header");
  if (lines.length > mostHeaders) return `there are ${lines.length} headers, and may be ${mostHeaders}`;
  const headers: (readonly [name: string, value: string])[] = [];
  for (const line of lines) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined) return `a header is written as Name: value, but this one is ${quoted(line)}`;
    headers.push([name, value!.trim()]);
  }
  const [method, client] = [params.get("method"), params.get("client")];
  return {
    url,
    ...(method ? { method: method.toUpperCase() } : {}),
    ...(client ? { client } : {}),
    headers: Object.fromEntries(headers),
  };
}

const quoted = (text: string): string => `"${shown(text, 100)}"`;
