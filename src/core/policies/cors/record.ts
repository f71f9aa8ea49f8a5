/** The headers of routes as data, for nginx/lua/sluice/policies/cors.lua. */
import type { CorsPolicy, Filters } from "../../model/filters.ts";
import type { Fields } from "../../model/records.ts";
import { type CorsFields, originsIn } from "./read.ts";

type Answering = { readonly filters?: Filters; readonly features: { readonly cors: CorsFields } };

/**
 * Whether the Location answers preflights of browsers, also for requests that only it would take.
 */
export const takesPreflights = ({ filters, features }: Answering): boolean =>
  filters?.cors !== undefined || originsIn(features.cors).length > 0;

export function corsRecord(policy: CorsPolicy): Fields<"cors"> {
  const { allowOrigins, allowCredentials, allowMethods, allowHeaders, exposeHeaders, maxAge } = policy;
  const plain = allowOrigins.filter((origin) => !origin.includes("*")).map(withoutUsualPort);
  // With cookies a browser reads `*` as a plain name, and the specification forbids it.
  const exposed = allowCredentials ? exposeHeaders.filter((name) => name !== "*") : exposeHeaders;
  const patterns = allowOrigins
    .filter((origin) => origin !== "*" && origin.includes("*"))
    .map((origin) => originPattern(withoutUsualPort(origin), "[^/:]*"));
  return {
    ...(allowOrigins.includes("*") ? { any: 1 } : {}),
    ...(plain.length > 0 ? { origins: Object.fromEntries(plain.map((origin) => [origin, 1])) } : {}),
    ...(patterns.length > 0 ? { pattern: `^(?:${patterns.join("|")})$` } : {}),
    ...(allowCredentials ? { credentials: 1 } : {}),
    ...(allowMethods.length > 0 ? { methods: allowMethods.join(", ") } : {}),
    ...(allowHeaders.length > 0 ? { headers: allowHeaders.join(", ") } : {}),
    ...(exposed.length > 0 ? { expose: exposed.join(", ") } : {}),
    maxAge,
  };
}

/** Removes the usual port of the scheme from an origin. */
function withoutUsualPort(origin: string): string {
  return origin.toLowerCase().replace(/^(http:\/\/.*):80$|^(https:\/\/.*):443$/, "$1$2");
}

/** Returns the pattern for the origins of annotations. */
export function annotatedPattern(origins: readonly string[]): string {
  return `^(?:${origins.map((origin) => originPattern(origin, "[a-z0-9-]+")).join("|")})$`;
}

/**
 * Returns a pattern for the origin. A `*` stands for one label in annotations (RS-21), and for any
 * number of labels or parts of them in filters.
 */
function originPattern(origin: string, star: string): string {
  return origin.replace(/[\\^$.+?()[\]{}|]/g, "\\$&").replaceAll("*", star);
}
