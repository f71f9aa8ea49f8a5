/**
 * The client's spelling of what a rewrite leaves of a path, as nginx/lua/sluice/gateway/rest.lua
 * finds it: backends get `%2F` and `//` as they were sent.
 */
import type { PathChange } from "../../core/model/filters.ts";
import type { ReadRequest } from "./request.ts";

type Groups = readonly (string | undefined)[];

const pathOf = ({ requestUri }: ReadRequest): string => /^[^?#]*/.exec(requestUri)![0];

function decoded(text: string): string {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return text.includes("%") ? Buffer.from(bytes, "latin1").toString("utf8") : text;
}

/** Whether the text is another spelling of a part of the decoded path, without `..` in it. */
function spells(text: string, part: string): boolean {
  let plain = decoded(text);
  if (plain.includes("..") || decoded(plain).includes("..")) return false;
  plain = plain.replace(/\/\/+/g, "/");
  while (plain.includes("/./")) plain = plain.replaceAll("/./", "/");
  return plain.replace(/\/\.$/, "/") === part;
}

/** Returns undefined if the rest is not the client's, or holds `..`. */
export function spelledRest(
  { prefix, path }: PathChange & { readonly type: "prefix" },
  request: ReadRequest,
): string | undefined {
  const raw = pathOf(request);
  const wanted = request.uri.slice(prefix.length);
  const at = behind(raw, prefix);
  if (at === undefined || !spells(raw.slice(at), wanted)) return undefined;
  const rest = raw.slice(at).replace(/^%2f/i, "/");
  const start = escapedPath(path);
  if (rest === "") return start === "" ? "/" : start;
  return oneSlash(rest.startsWith("/") ? `${start.replace(/\/$/, "")}${rest}` : `${start.replace(/\/?$/, "/")}${rest}`);
}

/** Returns the groups of the pattern in the client's path; undefined if they are no spellings. */
export function spelledGroups(groups: Groups, ofClient: Groups | null | undefined): Groups | undefined {
  const isSame = (_: unknown, at: number) =>
    at === 0 || groups[at] === ofClient?.[at] || spells(ofClient?.[at] ?? "", groups[at] ?? "");
  return ofClient && groups.every(isSame) ? ofClient : undefined;
}

export const clientPath = pathOf;

/** A path never begins with two slashes, which some backends take for a host. */
export const oneSlash = (path: string): string => path.replace(/^\/\/+/, "/");

/** Returns the place behind the part of the client's path that is this prefix. */
function behind(raw: string, prefix: string): number | undefined {
  const wanted = Buffer.from(prefix).toString("latin1");
  let count = 0;
  let at = 0;
  let last = "";
  for (const text of raw.match(/%[0-9a-f]{2}|[\s\S]/giu) ?? []) {
    if (count === wanted.length) break;
    const bytes = text.length === 3 ? String.fromCharCode(Number.parseInt(text.slice(1), 16)) : latin1(text);
    if (bytes !== "/" || last !== "/") {
      if (!wanted.startsWith(bytes, count)) return undefined;
      count += bytes.length;
    }
    last = bytes;
    at += text.length;
  }
  return count === wanted.length ? at : undefined;
}

const latin1 = (text: string) => Buffer.from(text).toString("latin1");

/** Escapes one byte, which is a sign of Latin-1. */
export const escapedByte = (byte: string): string =>
  `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** Escapes a path as nginx does towards a backend. */
export const escapedPath = (path: string): string => latin1(path).replace(/[\x00-\x20#%?\x7f-\xff]/g, escapedByte);
