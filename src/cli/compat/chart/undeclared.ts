/**
 * Values that the chart does not declare, judged as its templates do (`_typos.tpl`): one that
 * resembles a declared value is refused, and another one is ignored with a line in NOTES.
 */
import { editDistance } from "../../../kinds/nearest.ts";
import { isMapping } from "../../../manifests/check.ts";

export type Undeclared =
  /** `meant` is the value that was probably meant, where the chart names one. */
  | { readonly fate: "refused"; readonly meant?: string }
  | { readonly fate: "ignored" }
  /** Values below `global`, and extensions such as `x-common`, are free. */
  | { readonly fate: "free" };

/** `paths` are those of all declared values, `path` is the place of the undeclared one. */
export function judgeUndeclared(paths: Iterable<string>, path: readonly string[], value: unknown): Undeclared {
  const above = path.slice(0, -1).join(".");
  const key = path.at(-1)!;
  if (above === "global" || (above === "" && key.startsWith("x-"))) return { fate: "free" };
  if (above === "" && isMapping(value) && "controller" in value) return { fate: "refused" };
  const meant = above === "" && key === "name" ? undefined : probablyMeant([...branchesOf(paths)], above, key);
  return meant === undefined ? { fate: "ignored" } : { fate: "refused", meant };
}

/** Returns the declared values and all keys above them. */
function branchesOf(paths: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const path of paths) {
    const keys = path.split(".");
    for (let length = 1; length <= keys.length; length++) all.add(keys.slice(0, length).join("."));
  }
  return all;
}

/**
 * Returns the value that was probably meant. It tries, in this order: the same key below a missing
 * parent, a similar key beside it, and the same key further down.
 */
function probablyMeant(branches: readonly string[], above: string, key: string): string | undefined {
  const prefix = above === "" ? "" : `${above}.`;
  const beside = branches.flatMap((one) => {
    const rest = one.startsWith(prefix) ? one.slice(prefix.length) : "";
    return rest === "" || rest.includes(".") ? [] : [rest];
  });
  const spelt = speltAlike(key, beside);
  return (
    shortest(branches, "", `${prefix}${key}`) ??
    (spelt === undefined ? undefined : `${prefix}${spelt}`) ??
    shortest(branches, above, key)
  );
}

function shortest(branches: readonly string[], begin: string, end: string): string | undefined {
  const fitting = branches.filter((one) => one.startsWith(begin) && one.endsWith(`.${end}`)).sort();
  return fitting.reduce<string | undefined>(
    (best, one) => (best === undefined || one.length < best.length ? one : best),
    undefined,
  );
}

function speltAlike(written: string, names: readonly string[]): string | undefined {
  let least = Math.floor(written.length / 3) + 1;
  let meant: string | undefined;
  for (const name of names) {
    const distance = lettersBetween(written.toLowerCase(), name.toLowerCase());
    if (distance < least) [least, meant] = [distance, name];
  }
  return meant;
}

/**
 * Counts the letters that differ, as the chart does: 1 where one word begins with the other; two
 * swapped letters count 2.
 */
function lettersBetween(a: string, b: string): number {
  const singular = (word: string) => word.replace(/s$/, "");
  return b.startsWith(singular(a)) || a.startsWith(singular(b)) ? 1 : editDistance(a, b, false);
}
