/**
 * Reads the requests of a file. A line is a URL, a method and a URL, or a JSON object with url,
 * method, headers and body.
 */
import { type ReplayedRequest, requestOf } from "../replay/request.ts";

export type ReadRequests =
  | { readonly ok: true; readonly requests: readonly ReplayedRequest[] }
  /** `why` is a sentence with the number of the line. */
  | { readonly ok: false; readonly why: string };

/** Skips empty lines and lines that begin with `#`. */
export function requestsIn(text: string): ReadRequests {
  const requests: ReplayedRequest[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const request = trimmed.startsWith("{") ? ofJson(trimmed) : ofWords(trimmed);
    if (request === undefined)
      return { ok: false, why: `line ${at + 1} is neither a URL, nor METHOD URL, nor {"url": …}: ${shown(trimmed)}` };
    requests.push(request);
  }
  return { ok: true, requests };
}

const shown = (line: string): string => JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);

function ofWords(line: string): ReplayedRequest | undefined {
  const words = line.split(/\s+/);
  const [first = "", second] = words;
  if (words.length === 1) return requestOf("GET", first);
  return words.length === 2 && /^[A-Z]+$/.test(first) ? requestOf(first, second!) : undefined;
}

function ofJson(line: string): ReplayedRequest | undefined {
  let parsed: { url?: unknown; method?: unknown; headers?: unknown; body?: unknown };
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { url, method = "GET", headers = {}, body } = parsed;
  if (typeof url !== "string" || typeof method !== "string" || !/^[A-Z]+$/.test(method)) return undefined;
  if (!isTexts(headers) || (body !== undefined && typeof body !== "string")) return undefined;
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const request = requestOf(method, url, lower);
  return request === undefined || body === undefined ? request : { ...request, body };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, text]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && isHeaderText(text));
}

const isHeaderText = (text: unknown): boolean => typeof text === "string" && /^[\t -~\u0080-\u00ff]*$/.test(text);
