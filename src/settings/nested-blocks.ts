/**
 * Keeps Strict-Transport-Security in blocks inside the snippet of a location. nginx drops the
 * header where an `if` or a location has an add_header of its own, and a location that answers by
 * `return` is not known to be that of an Ingress. ingress-nginx sets the header at the end, for
 * whatever answers there (RS-11.5).
 */
import { parse, type Statement } from "../kinds/grammar.ts";
import { type Insertion, withInsertions } from "./insertions.ts";

/** Returns the text with lines of Sluice in its blocks. Line numbers do not change. */
export function withNestedBlocks(text: string): string {
  const parsed = text.includes("{") ? parse(text) : undefined;
  return parsed?.ok ? withInsertions(text, parsed.statements.flatMap(insertionsIn)) : text;
}

const lines = [
  ["add_header", "add_header Strict-Transport-Security $strict_transport_security always; "],
  ["proxy_hide_header", "proxy_hide_header Strict-Transport-Security; "],
] as const;

function insertionsIn({ name, block = [] }: Statement): readonly Insertion[] {
  const at = block[0]?.from;
  if (at === undefined) return [];
  const own = lines.filter(([directive]) => block.some((one) => one.name === directive)).map(([, line]) => line);
  const all = name === "location" ? ["set $s_located 1; ", ...own] : own;
  return [...(all.length === 0 ? [] : [{ at, text: all.join("") }]), ...block.flatMap(insertionsIn)];
}
