/**
 * Values that the chart does not declare, judged as its templates do (`_typos.tpl`). A typo is
 * refused: a name that hardly differs from one beside it. Another one is ignored with a line in
 * NOTES, as ingress-nginx's chart ignores it, even if it stands at a wrong level; below `sluice`
 * that is refused as well.
 */
import { editDistance } from "../../../core/kinds/nearest.ts";
import { elsewhereOf, speltOtherwise } from "../../../core/kinds/vocabulary/places-of-words.ts";
import { isMapping } from "../../../core/model/mapping.ts";

export type Undeclared =
  /** `meant` is the value that was probably meant, if the chart names one. */
  | { readonly fate: "refused"; readonly meant?: string }
  /** `elsewhere` says what else the name is: a flag, a key of the ConfigMap, an annotation. */
  | { readonly fate: "ignored"; readonly meant?: string; readonly elsewhere?: string }
  /** Values below `global`, and extensions such as `x-common`, are free. */
  | { readonly fate: "free" };

/** Fields of Kubernetes that only look like declared values, such as externalTrafficPolicy. */
const ownMeaning = ["namespace", "internalTrafficPolicy"];

/** The default of each declared value, as JSON; undefined if it has none. */
type Declared = ReadonlyMap<string, string | undefined>;

/**
 * Judges a value that the chart does not declare. `path` is its place. The probably meant value is
 * the first of these that exists: the same key below a missing parent, at a level above, in another
 * spelling beside it, or further down; a word of another place; a similar key beside it.
 */
export function judgeUndeclared(declared: Declared, path: readonly string[], value: unknown): Undeclared {
  const above = path.slice(0, -1).join(".");
  const key = path.at(-1)!;
  if (above === "global" || (above === "" && key.startsWith("x-"))) return { fate: "free" };
  if (above === "" && isMapping(value) && "controller" in value) return { fate: "refused" };
  if (ownMeaning.includes(key) || (above === "" && key === "name")) return { fate: "ignored" };
  const branches = [...branchesOf(declared.keys())];
  const beside = namesBelow(branches, above);
  const exact =
    shortest(branches, "", `${prefixOf(above)}${key}`) ??
    higher(branches, above, key) ??
    spelling(beside, above, key) ??
    shortest(branches, prefixOf(above), key);
  const judged = (meant: string, isTypo: boolean): Undeclared => {
    return { fate: isTypo || (path[0] === "sluice" && path.length > 1) ? "refused" : "ignored", meant };
  };
  if (exact !== undefined) return judged(exact, parentOf(exact) === above);
  const elsewhere = elsewhereOf(key, "value");
  if (elsewhere !== undefined) return { fate: "ignored", elsewhere };
  const fitting = beside.filter((name) => isOfShape(value, declared, `${prefixOf(above)}${name}`));
  const similar = speltAlike(key, fitting) ?? endingLike(key, fitting);
  return similar === undefined ? { fate: "ignored" } : judged(joined(above, similar)!, isTypoOf(key, similar));
}

/** Whether the value has the shape of the path's: a mapping is no list, and neither is a text. */
function isOfShape(value: unknown, declared: Declared, path: string): boolean {
  if (value === null || ["{}", "[]"].includes(JSON.stringify(value))) return true;
  if (!declared.has(path)) return shapeOf(value) === "mapping";
  const fallback = declared.get(path);
  return fallback === undefined || shapeOf(value) === shapeOf(JSON.parse(fallback));
}

const shapeOf = (value: unknown) => (Array.isArray(value) ? "list" : isMapping(value) ? "mapping" : "plain");

/** Whether the key is a typing mistake: one letter in six differs, or the name's end is missing. */
const isTypoOf = (key: string, name: string): boolean =>
  2 * key.length > name.length &&
  lettersBetween(key.toLowerCase(), name.toLowerCase()) <= Math.max(1, Math.floor(key.length / 6));

/** Returns the declared values and all keys above them. */
function branchesOf(paths: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const path of paths) {
    const keys = path.split(".");
    for (let length = 1; length <= keys.length; length++) all.add(keys.slice(0, length).join("."));
  }
  return all;
}

const parentOf = (path: string): string => path.split(".").slice(0, -1).join(".");
const prefixOf = (above: string): string => (above === "" ? "" : `${above}.`);

function namesBelow(branches: readonly string[], above: string): readonly string[] {
  const prefix = prefixOf(above);
  return branches.flatMap((one) => {
    const rest = one.startsWith(prefix) ? one.slice(prefix.length) : "";
    return rest === "" || rest.includes(".") ? [] : [rest];
  });
}

/** Returns the same key at a level above, the nearest one first. */
function higher(branches: readonly string[], above: string, key: string): string | undefined {
  const keys = above === "" ? [] : above.split(".");
  // The place of the key has no meaning any more, so it is not moved there.
  if (key === "podSecurityPolicy") return undefined;
  const levels = keys.map((_, at) => [...keys.slice(0, keys.length - 1 - at), key].join("."));
  return levels.find((path) => branches.includes(path));
}

/** Returns the same words as a key beside it, in another spelling. */
function spelling(beside: readonly string[], above: string, key: string): string | undefined {
  return joined(above, speltOtherwise(key, beside));
}

function joined(above: string, key: string | undefined): string | undefined {
  return key === undefined ? undefined : `${prefixOf(above)}${key}`;
}

/** Values of jobs that the chart does not have, such as securityContext. No hint names them. */
const ofCertificateJobs = /^controller\.admissionWebhooks\.(patch|createSecretJob|patchWebhookJob)\./;

/**
 * Returns the path that was probably meant: one of the controller's, and among these the shortest.
 * If several are the shortest, it returns all of them.
 */
function shortest(branches: readonly string[], begin: string, end: string): string | undefined {
  const fitting = branches
    .filter((one) => one.startsWith(begin) && one.endsWith(`.${end}`) && !ofCertificateJobs.test(one))
    .sort();
  const ofController = fitting.filter((one) => one.startsWith("controller."));
  const all = ofController.length === 0 ? fitting : ofController;
  const least = Math.min(...all.map(({ length }) => length));
  return all.length === 0 ? undefined : all.filter(({ length }) => length === least).join(" or ");
}

function speltAlike(written: string, names: readonly string[]): string | undefined {
  let least = Math.floor(written.length / 3) + 1;
  let best: string | undefined;
  for (const name of names) {
    const distance = lettersBetween(written.toLowerCase(), name.toLowerCase());
    if (distance < least) [least, best] = [distance, name];
  }
  return best;
}

/** Returns the first name that ends with the word: `strategy` is `updateStrategy`. */
function endingLike(word: string, names: readonly string[]): string | undefined {
  return word.length < 6 ? undefined : names.find((name) => name.toLowerCase().endsWith(word.toLowerCase()));
}

/** Counts the letters that differ: 1 if the name begins with what was written. */
function lettersBetween(written: string, name: string): number {
  return name.startsWith(written.replace(/s$/, "")) ? 1 : editDistance(written, name);
}
