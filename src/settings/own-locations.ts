/**
 * Locations that an author brings into a server. Sluice's lines in the http block about requests to
 * backends is for its own locations. ingress-nginx says it in each of those, so that an author's
 * passes requests on as nginx does by itself: Host is who is asked, and redirects from there are
 * put right.
 */
import { parse, type Statement } from "../kinds/grammar.ts";

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * The text of a server's or the http block's snippet, with nginx's own defaults in its locations.
 * Lines stay where they are.
 */
export function withOwnLocations(text: string): string {
  const parsed = parse(text);
  const insertions = parsed.ok ? parsed.statements.flatMap(insertionsIn) : [];
  const parts: string[] = [];
  let written = 0;
  for (const { at, text: added } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(text.slice(written, at), added);
    written = at;
  }
  return parts.join("") + text.slice(written);
}

function insertionsIn({ name, block = [] }: Statement): readonly Insertion[] {
  if (name !== "location") return block.flatMap(insertionsIn);
  return passes(block) ? [...ownHeaders(block), ...ownRedirects(block)] : [];
}

function passes(block: readonly Statement[]): boolean {
  return block.some((one) => one.name === "proxy_pass" || passes(one.block ?? []));
}

/**
 * One line of its own is enough for nginx to forget all inherited ones; this one says what nginx
 * does anyway.
 */
function ownHeaders(block: readonly Statement[]): Insertion[] {
  if (block.some(({ name }) => name === "proxy_set_header")) return [];
  return [{ at: block[0]!.from, text: "proxy_set_header Connection close; " }];
}

/** nginx takes `default` behind a `proxy_pass` only, and not where a variable says who is asked. */
function ownRedirects(block: readonly Statement[]): Insertion[] {
  if (block.some(({ name }) => name === "proxy_redirect")) return [];
  return block.flatMap(({ name, args, from, text, block: inner = [] }) => {
    if (name !== "proxy_pass") return ownRedirects(inner);
    return args.some((arg) => arg.includes("$")) ? [] : [{ at: from + text.length, text: " proxy_redirect default;" }];
  });
}
