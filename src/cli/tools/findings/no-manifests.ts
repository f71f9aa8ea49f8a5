/**
 * Finds files of a folder that are not manifests, such as the values of a chart or a dashboard. One
 * note names them together, because a repository may have hundreds of them.
 */
import type { Manifest } from "../../../manifests/manifest.ts";
import type { Files } from "../folder.ts";
import { counted, firstOf } from "../words.ts";

const mostNamed = 5;

/** Words that occur in objects of Kubernetes: even one with many mistakes has some of them. */
const ofObjects = ["apiVersion", "kind", "metadata", "spec"];

/**
 * Returns the files without the faults of such content, and a sentence that names the files. A
 * folder without any object keeps its faults.
 */
export function withoutOtherContent(files: Files): { readonly files: Files; readonly note?: string } {
  const hasObjects = [...files.values()].some(({ objects, others }) => objects.length + others.length > 0);
  const rest = new Map([...files].map(([file, one]) => [file, hasObjects ? withoutStrays(one) : one]));
  const left = [...files].flatMap(([file, one]) => (rest.get(file) === one ? [] : [file]));
  if (left.length === 0) return { files };
  const [are, objects] = left.length === 1 ? ["is", "a Kubernetes object"] : ["are", "Kubernetes objects"];
  return {
    files: rest,
    note: `${counted(left.length, "file")} ${are} not ${objects}, and left out: ${firstOf(left, mostNamed)}`,
  };
}

/** Returns the same Manifest if it has no such content. */
function withoutStrays(manifest: Manifest): Manifest {
  const { strays = [], faults } = manifest;
  const others = strays.filter(({ value }) => !ofObjects.some((word) => Object.hasOwn(value, word)));
  if (others.length === 0) return manifest;
  const lines = new Set(others.map(({ placeOf }) => placeOf([]).line));
  return {
    ...manifest,
    faults: faults.filter(({ object, field, place }) => object !== undefined || field !== "" || !lines.has(place.line)),
  };
}
