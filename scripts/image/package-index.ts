/** Reads Debian's list of packages, and finds the set of packages that some of them need. */
import type { Archive } from "./mirror.ts";
import { compareVersions } from "./version.ts";

/** One package for one processor, with its file in an archive. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly archive: Archive;
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly provides: readonly string[];
  /** Each entry is a list of alternatives. */
  readonly depends: readonly (readonly string[])[];
}

export type PackageIndex = ReadonlyMap<string, Package>;

/** Reads the lists of a suite. If two lists have a package, the newer version counts. */
export function readIndex(lists: readonly (readonly [Archive, string])[]): PackageIndex {
  const index = new Map<string, Package>();
  for (const [archive, text] of lists) {
    for (const stanza of text.split("\n\n")) {
      const one = readPackage(stanza, archive);
      const other = one && index.get(one.name);
      if (one && (!other || compareVersions(other.version, one.version) < 0)) index.set(one.name, one);
    }
  }
  return index;
}

function readPackage(stanza: string, archive: Archive): Package | undefined {
  const fields = new Map([...stanza.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name!, value!]));
  const [name, version, path, hash] = ["Package", "Version", "Filename", "SHA256"].map((key) => fields.get(key));
  if (!name || !version || !path || !hash) return undefined;
  const relations = (key: string) => (fields.get(key) ?? "").split(",").filter((one) => one.trim() !== "");
  const nameOf = (relation: string) => relation.trim().split(/[\s:(]/)[0]!;
  return {
    ...{ name, version, archive, path, sha256: hash, size: Number(fields.get("Size")) },
    source: fields.get("Source")?.split(" ")[0] ?? name,
    provides: relations("Provides").map(nameOf),
    depends: [...relations("Pre-Depends"), ...relations("Depends")].map((one) => one.split("|").map(nameOf)),
  };
}

/**
 * Returns the wanted packages and all that they need, by name. Throws a sentence when one does not
 * exist.
 */
export function closure(
  index: PackageIndex,
  wanted: readonly string[],
  unneeded: (name: string) => boolean,
): readonly Package[] {
  const providers = new Map<string, string[]>();
  for (const { name, provides } of index.values())
    for (const virtual of provides) providers.set(virtual, [...(providers.get(virtual) ?? []), name]);
  const chosen = new Map<string, Package>();
  const queue = wanted.map((name) => [name]);
  for (let alternatives = queue.pop(); alternatives; alternatives = queue.pop()) {
    const candidates = alternatives.flatMap((name) => (index.has(name) ? [name] : (providers.get(name) ?? [])));
    if (candidates.some((name) => chosen.has(name)) || alternatives.some(unneeded) || candidates.some(unneeded))
      continue;
    const found = candidates[0] === undefined ? undefined : index.get(candidates[0]);
    if (!found) throw new Error(`Debian's suite has no package ${alternatives.join(" or ")}, which the image needs.`);
    chosen.set(found.name, found);
    queue.push(...found.depends.map((one) => [...one]));
  }
  return [...chosen.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
