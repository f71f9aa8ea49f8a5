/**
 * Compares the live text with the rendered one. The result is nothing, data, or a reload with its
 * reasons.
 */
import type { RenderedText } from "../render/rendering.ts";
import { causes } from "./causes.ts";
import type { Change } from "./ports.ts";

export function compare(live: RenderedText | undefined, next: RenderedText, changedRecords: number): Change {
  if (live === undefined) return { kind: "reload", why: ["start"] };
  if (live.generation === next.generation) return changedRecords === 0 ? { kind: "none" } : { kind: "data" };
  const by = causes(live, next);
  return { kind: "reload", why: reasons(live, next), ...(by === "" ? {} : { by }) };
}

function reasons({ parts: before }: RenderedText, { parts: after, shapes }: RenderedText): string[] {
  const changed = Object.keys(after).filter((part) => before[part] !== after[part]);
  const named = changed.map((part) => (part === "shapes" ? `a new location setting (${shapes.size} now)` : part));
  return named.length > 0 ? named : ["template"];
}
