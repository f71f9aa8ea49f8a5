/**
 * Kustomizations in a folder of manifests. They are not built here. So their patches do not count
 * as objects, and the tools do not see what a kustomization changes.
 */
import { dirname, join } from "node:path";
import { isMapping, type Mapping } from "../core/model/mapping.ts";
import type { Manifest } from "../edges/folder/manifest.ts";
import type { Files } from "./folder.ts";
import { counted, firstOf } from "./words.ts";

const kinds = ["Kustomization", "Component"];
const group = "kustomize.config.k8s.io/";

/** Whether it is a kustomization. A file of that name may leave out its kind, or its apiVersion. */
export function isKustomization({ kind, apiVersion, helmCharts, resources, patches }: Mapping): boolean {
  if (kind !== undefined) return kinds.includes(String(kind)) && String(apiVersion ?? group).startsWith(group);
  return [helmCharts, resources, patches].some(Array.isArray);
}

const changing =
  /^(patches|configMapGenerator|secretGenerator|namespace|namePrefix|nameSuffix|components|replacements|generators|transformers)/;

/** Returns the fields with which the kustomization changes objects, or makes some. */
export const changesOf = (value: Mapping): readonly string[] => Object.keys(value).filter((key) => changing.test(key));

/** Returns, for example, `a, b and c`. */
export const listed = (words: readonly string[]): string => words.join(", ").replace(/, (?=[^,]*$)/, " and ");

const mostNamed = 3;

const some = (words: readonly string[]): string =>
  words.length > mostNamed ? firstOf(words, mostNamed) : listed(words);

/**
 * Returns the files without the objects and mistakes of patches, and a sentence about the
 * kustomizations that change something.
 */
export function withoutPatches(files: Files, folder: string): { readonly files: Files; readonly note?: string } {
  const found = [...files].flatMap(([file, { others, strays = [] }]) =>
    [...others, ...strays].flatMap(({ value }) =>
      isKustomization(value) ? [{ file, changes: changesOf(value), patches: patchesOf(value, file) }] : [],
    ),
  );
  const changing = found.filter(({ changes }) => changes.length > 0);
  if (changing.length === 0) return { files };
  const patches = new Set(found.flatMap((one) => one.patches).filter((file) => files.has(file)));
  const rest = new Map([...files].map(([file, one]) => [file, patches.has(file) ? withoutObjects(one) : one]));
  const fields = [...new Set(changing.flatMap(({ changes }) => changes))];
  const names = changing.map(({ file }) => file);
  const [its, are] = names.length === 1 ? ["its", "is"] : ["their", "are"];
  const which = names.length === 1 ? names[0] : `${counted(names.length, "kustomization")} (${some(names)})`;
  const left =
    patches.size === 0
      ? ""
      : `, and ${counted(patches.size, "file")} of patches ${patches.size === 1 ? "is" : "are"} left out (${some([...patches])})`;
  const built = join(folder, dirname(names[0]!));
  return {
    files: rest,
    note: `${which} ${are} not built here, so the effect of ${its} ${listed(fields)} is not seen${left}; pipe kubectl kustomize ${built} into this command`,
  };
}

/**
 * Returns the file without objects and mistakes. The rest stays, because a patch of a HelmRelease
 * may hold values of the chart, which compat reads.
 */
function withoutObjects({ others, strays = [] }: Manifest): Manifest {
  return { objects: [], others, strays, faults: [], complete: true };
}

/** Returns the files that the kustomization names as patches, as paths below the folder. */
function patchesOf({ patches, patchesStrategicMerge, patchesJson6902 }: Mapping, file: string): readonly string[] {
  const all = [patches, patchesStrategicMerge, patchesJson6902].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  return all.flatMap((one) => {
    const path = isMapping(one) ? one.path : one;
    return typeof path === "string" && !path.includes("\n") ? [join(dirname(file), path)] : [];
  });
}
