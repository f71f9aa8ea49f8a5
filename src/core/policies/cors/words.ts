/** CORS in words, and what nginx does with a preflight. */
import type { CorsPolicy } from "../../model/filters.ts";
import { type CorsFields, originsIn } from "./read.ts";
import { annotatedPattern } from "./record.ts";

type Asked = { readonly method: string; readonly headers: ReadonlyMap<string, string> };

export const corsWords = ({ allowOrigins }: CorsPolicy): string => `CORS for ${allowOrigins.join(", ")}`;

/** Whether a route with the filter answers the request: as `is_preflight` in cors.lua. */
export function answersPreflight({ cors }: { readonly cors?: CorsPolicy }, { method, headers }: Asked): boolean {
  return (
    cors !== undefined && method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method")
  );
}

/** What nginx does with a request where annotations set CORS. */
export function preflightGuard({ cors }: { readonly cors: CorsFields }, { method, headers }: Asked) {
  const allowed = originsIn(cors);
  if (allowed.length === 0 || method !== "OPTIONS") return undefined;
  const says = "a preflight of CORS is answered by nginx where the origin is allowed";
  const isAllowed =
    allowed.includes("*") || new RegExp(annotatedPattern(allowed), "i").test(headers.get("origin") ?? "");
  return { what: "cors", says, outcome: isAllowed ? "stops" : "passes", status: 204 } as const;
}
