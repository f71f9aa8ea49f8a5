/** The filter URLRewrite, and changes of paths as RequestRedirect has them, too. */
import { shown } from "../../kinds/kind.ts";
import type { PathChange } from "../../model/filters.ts";
import type { PathModifier } from "../../model/gateway/objects.ts";
import type { FieldMistake, RouteFilter } from "../declare.ts";
import { hostMistake } from "../header-changes/read.ts";

interface Target {
  readonly hostname?: string;
  readonly path?: PathModifier;
}

export const filter: RouteFilter = {
  type: "URLRewrite",
  field: "urlRewrite",
  mistake: ({ urlRewrite }, prefix) => targetMistake(urlRewrite!, prefix),
  read: ({ urlRewrite }, prefix) => ({
    rewrite: { hostname: urlRewrite!.hostname, path: pathChange(urlRewrite!.path, prefix, decoded) },
  }),
};

/**
 * Returns a mistake in the path or the host. `prefix` is the matched path; undefined if the match
 * is not a PathPrefix.
 */
export function targetMistake({ hostname, path }: Target, prefix: string | undefined): FieldMistake | undefined {
  const ofPath = path && pathMistake(path, prefix);
  if (ofPath !== undefined) return { part: ".path", why: ofPath };
  const why = hostname === undefined ? undefined : hostMistake(hostname);
  return why === undefined ? undefined : { part: ".hostname", why };
}

function pathMistake(
  { type, replaceFullPath, replacePrefixMatch }: PathModifier,
  prefix: string | undefined,
): string | undefined {
  if (type === "ReplaceFullPath") return replaceFullPath === undefined ? "has no replaceFullPath" : undefined;
  if (type !== "ReplacePrefixMatch") return `type ${shown(type)} is not ReplaceFullPath or ReplacePrefixMatch`;
  if (replacePrefixMatch === undefined) return "has no replacePrefixMatch";
  return prefix === undefined ? "ReplacePrefixMatch needs matches of type PathPrefix" : undefined;
}

/** `read` returns the path as nginx needs it. */
export function pathChange(
  path: PathModifier | undefined,
  prefix: string,
  read: (text: string) => string,
): PathChange | undefined {
  if (path === undefined) return undefined;
  const { type, replaceFullPath = "", replacePrefixMatch = "" } = path;
  if (type === "ReplaceFullPath") return { type: "full", path: withSlash(read(replaceFullPath)) };
  return { type: "prefix", prefix, path: replacePrefixMatch === "" ? "" : withSlash(read(replacePrefixMatch)) };
}

/**
 * Returns the decoded path of a rewrite, as nginx has paths, because nginx escapes it towards the
 * backend.
 */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const text = Buffer.from(escapes.replaceAll("%", ""), "hex").toString();
    // U+FFFD stands for bytes that are not UTF-8.
    return /[\p{Cc}\uFFFD]/u.test(text) ? escapes : text;
  });
}

/**
 * Adds a slash to the beginning of a path, which would otherwise become a part of the host in a
 * redirect.
 */
function withSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}
