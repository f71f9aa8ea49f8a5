/** Judges whether a decision about a request fits the recorded answer. */
import type { Decision } from "../../src/ask/matcher/decision.ts";
import type { AskedRequest } from "../../src/ask/matcher/request.ts";
import type { Answer } from "./answer.ts";
import type { RequestStep } from "./case.ts";

/**
 * Turns the request of a case into one for the matcher; undefined for raw bytes and requests that
 * are not HTTP.
 */
export function askedOf({
  raw,
  scheme = "http",
  host,
  path = "/",
  method = "GET",
  headers = {},
  body,
}: RequestStep): AskedRequest | undefined {
  if (raw !== undefined || host === undefined || path.includes("echo-recall")) return undefined;
  const grown = (text: string) =>
    text.replace(/\{(.)\*(\d+)\}/g, (_, letter: string, times) => letter.repeat(Number(times)));
  const own = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), grown(String([value].flat()[0]))] as const,
  );
  const bytes = typeof body === "object" ? body.bytes : body?.length;
  const length = bytes === undefined ? [] : [["content-length", String(bytes)] as const];
  const all = new Map([...length, ...own]);
  return { scheme, host: all.get("host") ?? host, target: grown(path), method, headers: all };
}

export type Outcome = readonly [status: number, backend: string | undefined];

export function outcomesOf({ status, seen, tally, answers }: Answer): readonly Outcome[] {
  const keys = [...Object.keys(tally ?? {}), ...(answers ?? [])].map((key) => key.split(" "));
  const several = keys.flatMap(([code, backend]): Outcome[] =>
    /^\d+$/.test(code!) ? [[Number(code), backend === "-" ? undefined : backend]] : [],
  );
  return status === undefined ? several : [[status, seen?.backend]];
}

/** Annotations with an author's snippet, which may answer anything. */
const bySnippet = new Set(["server-snippet", "configuration-snippet"]);

/** Statuses with which an auth service or a sign-in page ends a request. */
const ofAuth = [302, 401, 403, 500];

export function fits(
  { end, guards, errorPages }: Decision,
  status: number,
  backend: string | undefined,
  byBackend: boolean,
): boolean {
  const open = guards.filter(({ outcome }) => outcome === "depends");
  if (
    open.some(
      ({ what, status: code }) =>
        (code === undefined && bySnippet.has(what)) ||
        code === status ||
        (code !== undefined && errorPages.includes(code)) ||
        (what === "external-auth" && ofAuth.includes(status)),
    )
  )
    return true;
  if (end.kind === "unclear") return true;
  // The built-in default backend writes error pages as well, and those are all 404.
  const isPage = errorPages.length > 0 && (byBackend || (end.kind === "answer" && errorPages.includes(end.status)));
  if (status === 404 && isPage) return true;
  if (end.kind === "answer") return end.status === status || (backend !== undefined && errorPages.includes(end.status));
  const upstreams = [end.upstream, ...end.canaries.map(({ upstream }) => upstream)];
  const addresses = upstreams.flatMap((one) => one?.endpoints.map(({ address }) => address) ?? []);
  return backend === undefined
    ? byBackend || !ownAnswers.includes(status)
    : addresses.includes(backend) || errorPages.length > 0;
}

/**
 * Whether the answer can be that of a backend without naming it: the backend answers with any
 * status that the request demands, and an answer to HEAD has no body.
 */
export const ofBackend = ({ path = "", method }: RequestStep): boolean => path.includes("echo-") || method === "HEAD";

/** Statuses that nginx answers only if the decision says so. */
const ownAnswers = [204, 301, 308, 401, 404, 503];

export function inWords({ end, host, guards }: Decision): string {
  const how =
    end.kind === "answer" ? `${end.status} (${end.why})` : end.kind === "proxied" ? end.upstream.id : end.kind;
  return `${host?.by} ${guards.map(({ what, outcome }) => `${what} ${outcome}`).join(", ")} ${how}`;
}
