/** Finds the file and line of the object that a Problem is about, as `check` prints them. */

import type { Problem } from "../../core/model/problem.ts";
import type { Manifests } from "../../edges/folder/manifests.ts";
import { pathIn } from "./places.ts";

/**
 * Returns a place like `web.yaml:12`. `prefix` is that of the annotations. A Problem whose sentence
 * names its place gets none.
 */
export function heldPlace(manifests: Pick<Manifests, "held">, problem: Problem, prefix: string): string | undefined {
  if (problem.kind === "manifest-unusable") return undefined;
  const found = manifests.held(problem.object);
  if (found === undefined) return undefined;
  const { file, held } = found;
  return `${file}:${held.placeOf(pathIn(held.object, problem, prefix)).line}`;
}
