/**
 * Names the differences between two versions of an object: annotations and keys of data by their
 * names, and everything else by its field. Values are left out, because any of them may be secret.
 */
import { isDeepStrictEqual } from "node:util";
import { isMapping, type Mapping } from "../../core/model/mapping.ts";

const mostParts = 4;

/** Maps whose changed keys are named, because the map's name alone says too little. */
const named: readonly (readonly [path: readonly string[], word: string])[] = [
  [["metadata", "annotations"], "annotation"],
  [["metadata", "labels"], "label"],
  [["data"], "key"],
  [["binaryData"], "key"],
];

/**
 * Returns, for example, ` (annotation proxy-read-timeout, spec.rules)`. The text is empty if no
 * relevant part differs.
 */
export function changedParts(was: object, is: object): string {
  const before = was as Mapping;
  const after = is as Mapping;
  const parts = [
    ...named.flatMap(([path, word]) =>
      changedKeys(at(before, path), at(after, path)).map((key) => `${word} ${key.replace(/^.*\//, "")}`),
    ),
    ...changedKeys(before, after)
      .filter((field) => !["metadata", "status", "data", "binaryData"].includes(field))
      .flatMap((field) => fieldWords(field, before[field], after[field])),
  ];
  if (parts.length === 0) return "";
  const more = parts.length - mostParts;
  return ` (${parts.slice(0, mostParts).join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
}

/** Describes a field. A list whose length has changed has both lengths: `endpoints 2 → 3`. */
function fieldWords(field: string, before: unknown, after: unknown): readonly string[] {
  if (Array.isArray(before) && Array.isArray(after))
    return [before.length === after.length ? field : `${field} ${before.length} → ${after.length}`];
  if (isMapping(before) && isMapping(after)) return changedKeys(before, after).map((key) => `${field}.${key}`);
  return [field];
}

function changedKeys(before: Mapping, after: Mapping): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key])).sort();
}

function at(fields: Mapping, path: readonly string[]): Mapping {
  const value = path.reduce<unknown>((one, name) => (isMapping(one) ? one[name] : undefined), fields);
  return isMapping(value) ? value : {};
}
