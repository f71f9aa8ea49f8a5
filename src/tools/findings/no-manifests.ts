/**
 * Finds files of a folder that are not manifests, such as the values of a chart or a dashboard. One
 * note names them together, because a repository may have hundreds of them.
 */
import { basename, dirname } from "node:path";
import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import type { Manifest } from "../../edges/folder/manifest.ts";
import type { Files } from "../folder.ts";
import { otherLanguage } from "../texts.ts";
import { counted, firstOf } from "../words.ts";

const mostNamed = 5;

/** Words that occur in objects of Kubernetes: even one with many mistakes has some of them. */
const ofObjects = ["apiVersion", "kind", "metadata", "spec"];

/** Whether it is a file of a chart that has no values. */
export const isChart = (value: Mapping, file: string): boolean =>
  (/^Chart\.ya?ml$/.test(basename(file)) && typeof value.name === "string") ||
  (/^requirements\.ya?ml$/.test(basename(file)) && Array.isArray(value.dependencies));

/** Whether a mapping without a kind is certainly no object with a mistake. */
export function isOtherContent(value: Mapping, file: string, files: Files): boolean {
  const isValues = /^values.*\.ya?ml$/.test(basename(file));
  const hasChart =
    isValues && [...files.keys()].some((one) => dirname(one) === dirname(file) && /\/?Chart\.ya?ml$/.test(one));
  return isChart(value, file) || hasChart || !ofObjects.some((word) => Object.hasOwn(value, word));
}

/**
 * Returns the files without the faults of such content, and a sentence that names the files. A
 * folder without any object keeps its faults, and says what values of ingress-nginx's chart are.
 */
export function withoutOtherContent(files: Files): { readonly files: Files; readonly note?: string } {
  const hasObjects = [...files.values()].some(({ objects, others }) => objects.length + others.length > 0);
  if (!hasObjects) return { files: new Map([...files].map(([file, one]) => [file, withValuesNamed(one)])) };
  const rest = new Map([...files].map(([file, one]) => [file, withoutStrays(one, file, files)]));
  const left = [...files].flatMap(([file, one]) => (rest.get(file) === one ? [] : [file]));
  if (left.length === 0) return { files };
  const [are, objects] = left.length === 1 ? ["is", "a Kubernetes object"] : ["are", "Kubernetes objects"];
  return {
    files: rest,
    note: `${counted(left.length, "file")} ${are} not ${objects}, and left out: ${firstOf(left, mostNamed)}`,
  };
}

/** Returns the same Manifest if it has no such content. */
function withoutStrays(manifest: Manifest, file: string, files: Files): Manifest {
  const { strays = [], faults } = manifest;
  if (otherLanguage(file) !== undefined) return { ...manifest, faults: [] };
  const others = strays.filter(({ value }) => isOtherContent(value, file, files));
  if (others.length === 0) return manifest;
  const isOfOthers = among(others);
  return { ...manifest, faults: faults.filter((fault) => !isOfOthers(fault)) };
}

const ofChart = "it has values of ingress-nginx's chart and no Kubernetes object, and sluice compat judges them";

function withValuesNamed(manifest: Manifest): Manifest {
  const { strays = [], faults } = manifest;
  const hasController = (value: unknown) => isMapping(value) && isMapping(value.controller);
  const isValues = among(strays.filter(({ value }) => [value, ...Object.values(value)].some(hasController)));
  return { ...manifest, faults: faults.map((fault) => (isValues(fault) ? { ...fault, why: ofChart } : fault)) };
}

/** Returns whether a fault is about one of these parts as a whole. */
function among(strays: NonNullable<Manifest["strays"]>): (fault: Manifest["faults"][number]) => boolean {
  const lines = new Set(strays.map(({ placeOf }) => placeOf([]).line));
  return ({ object, field, place }) => object === undefined && field === "" && lines.has(place.line);
}
