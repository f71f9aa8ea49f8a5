/**
 * Whose text stands at a line of nginx.conf. A location made of a shape belongs to every Ingress
 * that has the shape, which the records say; of one of static mode the text knows it; what stands
 * in a server outside of locations belongs to all Ingresses of the host; anything else is the
 * operator's.
 */
import type { Authors } from "../render/rendering.ts";

interface HostRecord {
  readonly locations: readonly { readonly shape: string; readonly namespace?: string; readonly ingress?: string }[];
}

/** `line` counts from 1, as nginx does. */
export function blame(
  conf: string,
  line: number,
  records: ReadonlyMap<string, string>,
  authors: Authors = () => new Set(),
): ReadonlySet<string> {
  return new Set([...ingressesAt(conf, line, records, authors)].map((key) => `Ingress ${key}`));
}

function ingressesAt(
  conf: string,
  line: number,
  records: ReadonlyMap<string, string>,
  authors: Authors,
): ReadonlySet<string> {
  const lines = serverAround(conf.split("\n").slice(0, line));
  const name = /server_name\s+("(?:[^"\\]|\\.)*"|[^\s;]+)/.exec(lines[0] ?? "")?.[1];
  const around = locationsAround(lines);
  for (const location of around) {
    const ingresses = location.startsWith("@") ? havingShape(location, records) : authors(name ?? "", location);
    if (ingresses.size > 0) return ingresses;
  }
  // A location that nobody has is one of a server snippet, but in the server of all data hosts.
  if (name === undefined || (around.length > 0 && name === "_")) return new Set();
  const written = authors(name, undefined);
  return written.size > 0 ? written : ofHost(name.replaceAll('"', ""), records);
}

/** From the name of the server that the last line is in; nothing where it is in none. */
function serverAround(lines: readonly string[]): readonly string[] {
  const server = lines.findLastIndex((line) => /^\s*server_name\s/.test(line));
  if (server < 0) return [];
  const end = `${" ".repeat(Math.max(0, depthOf(lines[server]!) - 4))}}`;
  const own = lines.slice(server);
  return own.includes(end) ? [] : own;
}

/**
 * What the locations match that the last line is in, or opens, the innermost first: a snippet may
 * have some of its own. `lines` begin with the server's name. A line inside a text in quotes stands
 * as its author wrote it, and is taken to belong to the location above.
 */
function locationsAround(lines: readonly string[]): string[] {
  const found: string[] = [];
  const last = lines.at(-1) ?? "";
  const isInQuotes = depthOf(last) < depthOf(lines[0] ?? "");
  let depth = isInQuotes ? Number.POSITIVE_INFINITY : depthOf(last) + (opened(last) === undefined ? 0 : 1);
  for (const line of lines.toReversed()) {
    const match = opened(line);
    if (match === undefined || depthOf(line) >= depth) continue;
    found.push(match);
    depth = depthOf(line);
  }
  return found;
}

function opened(line: string): string | undefined {
  return /^\s*location (.*) \{/.exec(line)?.[1];
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

function havingShape(shape: string, records: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>();
  for (const [key, text] of records) {
    if (!key.startsWith("host ") || !text.includes(shape)) continue;
    for (const location of (JSON.parse(text) as HostRecord).locations) {
      if (location.shape === shape && location.ingress !== undefined)
        found.add(`${location.namespace}/${location.ingress}`);
    }
  }
  return found;
}

function ofHost(host: string, records: ReadonlyMap<string, string>): Set<string> {
  const text = records.get(`host ${host}`);
  const locations = text === undefined ? [] : (JSON.parse(text) as HostRecord).locations;
  return new Set(
    locations.flatMap(({ namespace, ingress }) => (ingress === undefined ? [] : [`${namespace}/${ingress}`])),
  );
}
