/**
 * Checks the content of values by charts/sluice/values.schema.json, as helm does before it installs
 * the chart.
 */
import { readFileSync } from "node:fs";
import { shipped } from "../../../base/shipped.ts";
import { shown } from "../../../core/kinds/kind.ts";
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { type Check, isAbsent, type Path } from "../../../core/schema/findings.ts";
import { checkOf } from "../../../core/schema/schema.ts";
import { placeholderIn } from "../../../tools/variables.ts";

export interface Misfit {
  readonly path: Path;
  /** `refused`: the chart does not install. `unfilled`: a tool puts in the value before. */
  readonly fate: "refused" | "unfilled";
  readonly why: string;
}

let check: Check | undefined;

export function misfits(values: unknown): readonly Misfit[] {
  check ??= checkOf(JSON.parse(readFileSync(shipped("charts/sluice/values.schema.json"), "utf8")), "values", {});
  return check(values).flatMap(({ path, why, fatal }) => {
    const value = path.reduce<unknown>((inside, step) => (inside as Mapping)[step], values);
    // Helm takes a null for a value that is left out, and ignores keys that it does not know.
    return fatal && !isAbsent(value) ? [{ path, ...judged(value, why) }] : [];
  });
}

function judged(value: unknown, why: string): Pick<Misfit, "fate" | "why"> {
  const mark = inBraces(value);
  if (mark !== undefined) return { fate: "unfilled", why: `${mark} is a placeholder that nothing has filled in` };
  if (typeof value === "string") {
    const hint = placeholderIn(value);
    if (hint !== undefined) return { fate: "unfilled", why: `${shown(value)}: ${hint}` };
  }
  const found = typeof value === "object" ? (Array.isArray(value) ? "a list" : "a mapping") : shown(String(value));
  const written = typeof value === "string" ? shown(value) : String(value);
  const rest = why.startsWith(`${written} `) ? `it${why.slice(written.length)}` : why;
  return { fate: "refused", why: `the chart refuses ${found}: ${rest}` };
}

/** Returns `{NAME}`, which is a mapping in YAML, if it stands where only a plain value can. */
function inBraces(value: unknown): string | undefined {
  const [only, more] = isMapping(value) ? Object.entries(value) : [];
  return only !== undefined && more === undefined && (only[1] ?? "") === "" ? `{${only[0]}}` : undefined;
}
