/**
 * Gives locations in snippets nginx's own defaults. Sluice has lines about requests to backends in
 * the http block, for its own locations. ingress-nginx has them in each location instead, so that a
 * location in a snippet passes requests on with nginx's defaults: Host is the backend's name, and
 * redirects are corrected. A location that names a Service for ingress-nginx's upstream gets it.
 */
import { parse, type Statement } from "../kinds/grammar.ts";
import { type Insertion, withInsertions } from "./insertions.ts";

/**
 * Returns the text of a server's or the http block's snippet, with nginx's own defaults in its
 * locations. Line numbers do not change.
 */
export function withOwnLocations(text: string): string {
  const parsed = parse(text);
  if (!parsed.ok) return text;
  const isSaid = parsed.statements.some(({ name }) => name === buffering);
  const all = parsed.statements.flatMap((one) => insertionsIn(one, isSaid));
  return withInsertions(text, all);
}

const buffering = "proxy_buffering";

/** `isSaid` is true if a block around the statement has a line about buffering. */
function insertionsIn({ name, block = [] }: Statement, isSaid: boolean): readonly Insertion[] {
  const saysHere = isSaid || block.some((one) => one.name === buffering);
  if (name !== "location") return block.flatMap((one) => insertionsIn(one, saysHere));
  if (!passes(block)) return [];
  return [...ownHeaders(block), ...(saysHere ? [] : ownBuffering(block)), ...ownRedirects(block), ...named(block)];
}

/**
 * Finds the Service that the block names by `$proxy_upstream_name`. The line stands behind both
 * statements, so that nginx without Lua names the upstream that it lacks.
 */
function named(block: readonly Statement[]): Insertion[] {
  const pass = block.find(({ name, args }) => name === "proxy_pass" && args[0] === "http://upstream_balancer");
  const last = block.findLast((one) => namesService(one));
  if (pass === undefined || last === undefined) return [];
  const behind = last.from > pass.from ? last : pass;
  const text = ' set_by_lua_block $s_to { return package.loaded["sluice.route"].named() }';
  return [{ at: behind.from + behind.text.length, text }];
}

function namesService({ name, args, block = [] }: Statement): boolean {
  return name === "location" ? false : setsName(name, args) || block.some(namesService);
}

const setsName = (name: string, args: readonly string[]): boolean =>
  name === "set" && args[0] === "$proxy_upstream_name";

function passes(block: readonly Statement[]): boolean {
  return block.some((one) => one.name === "proxy_pass" || passes(one.block ?? []));
}

/**
 * Adds a line with nginx's default. With a line of its own, a location inherits none of the others.
 */
function ownHeaders(block: readonly Statement[]): Insertion[] {
  if (block.some(({ name }) => name === "proxy_set_header")) return [];
  return [{ at: block[0]!.from, text: "proxy_set_header Connection close; " }];
}

/** Buffers answers. Otherwise nginx stores none in a cache that the author has set up. */
function ownBuffering(block: readonly Statement[]): Insertion[] {
  return [{ at: block[0]!.from, text: `${buffering} on; ` }];
}

/**
 * Adds `proxy_redirect default`, which nginx accepts only after a `proxy_pass`, and not if a
 * variable names the backend.
 */
function ownRedirects(block: readonly Statement[]): Insertion[] {
  if (block.some(({ name }) => name === "proxy_redirect")) return [];
  return block.flatMap(({ name, args, from, text, block: inner = [] }) => {
    if (name !== "proxy_pass") return ownRedirects(inner);
    return args.some((arg) => arg.includes("$")) ? [] : [{ at: from + text.length, text: " proxy_redirect default;" }];
  });
}
