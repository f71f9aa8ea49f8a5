/**
 * Annotations that stand outside of Ingresses, such as in the values of another chart. Each group
 * is judged as an Ingress of its own with one host and one path; what its real host and Service
 * would add is not known.
 */

import { isKnownVariable } from "../../core/kinds/variables.ts";
import { missingIn } from "../../core/model/missing.ts";
import type { Ingress } from "../../core/model/objects.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import type { Manifest, ManifestObject } from "../../edges/folder/manifest.ts";
import type { Files } from "../../tools/folder.ts";
import type { Group } from "./found-parts.ts";
import type { Unjudged } from "./unjudged.ts";

/** No namespace of a cluster can have this name. */
const namespace = "outside of Ingresses";

export const isOutside = ({ kind, namespace: own }: ObjectName): boolean => kind === "Ingress" && own === namespace;

export interface Outside {
  readonly groups: readonly Group[];
  readonly prefix: string;
  readonly ingressClass: string;
}

/** Adds an Ingress for each group to the files. */
export function withOutside(files: Files, { groups, prefix, ingressClass }: Outside): Files {
  if (groups.length === 0) return files;
  const all = new Map<string, Manifest>(files);
  for (const [at, group] of groups.entries()) {
    const manifest = all.get(group.file) ?? { objects: [], others: [], faults: [], complete: true };
    all.set(group.file, {
      ...manifest,
      objects: [...manifest.objects, objectOf(group, String(at), prefix, ingressClass)],
    });
  }
  return all;
}

function objectOf({ annotations }: Group, name: string, prefix: string, ingressClass: string): ManifestObject {
  const written = annotations.map(({ name: key, text }) => [`${prefix}/${key}`, filledIn(key, text)] as const);
  const hasGroups = written.some(([, text]) => /\$[1-9]/.test(text));
  const path = hasGroups ? "/(.*)(.*)(.*)(.*)" : "/";
  const backend = { service: { name: "web", port: { number: 80 } } };
  const rule = {
    host: `text-${name}.invalid`,
    http: { paths: [{ path, pathType: "ImplementationSpecific", backend }] },
  };
  const object = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      namespace,
      name,
      annotations: { ...Object.fromEntries(written), "kubernetes.io/ingress.class": ingressClass },
    },
    spec: { rules: [rule] },
  } as Ingress;
  const placeOf = (steps: readonly (string | number)[]) => {
    const found = annotations.find(({ name: key }) => `${prefix}/${key}` === steps[2]) ?? annotations[0]!;
    return found.place;
  };
  return { kind: "Ingress", key: `${namespace}/${name}`, placeOf, object };
}

const placeholder = /\$\{([^{}]+)\}/g;

/** Puts a word where a tool puts its value. In a snippet, `${name}` may be a variable of nginx. */
function filledIn(key: string, text: string): string {
  const isOfNginx = (name: string) =>
    key.endsWith("-snippet") ? /^[a-z0-9_]+$/.test(name) : isKnownVariable(name, "http");
  return text.replace(placeholder, (whole, name: string) => (isOfNginx(name) ? whole : "placeholder"));
}

const groupOf = ({ groups }: Outside, { name }: ObjectName): Group => groups[Number(name)]!;

/** Returns the object or file that has the annotations of such an Ingress. */
export const holderOf = (outside: Outside, object: ObjectName): string => groupOf(outside, object).of;

/** Whether the Problem is about an annotation alone, and not about what the text does not show. */
export function isOfText(problem: Problem, outside: Outside): boolean {
  return "key" in problem && missingIn(problem) === undefined && !isUnfilled(problem, outside);
}

function isUnfilled(problem: Problem, outside: Outside): boolean {
  if (problem.kind !== "annotation-unreadable") return false;
  const written = groupOf(outside, problem.object).annotations.find(({ name }) => name === problem.key);
  return written !== undefined && filledIn(written.name, written.text) !== written.text;
}

/** Returns annotations whose value only a tool knows. */
export function unfilledAnnotations(problems: readonly Problem[], outside: Outside): readonly Unjudged[] {
  return problems.flatMap((problem): Unjudged[] => {
    if (!isOutside(problem.object) || !isUnfilled(problem, outside)) return [];
    const { file, annotations } = groupOf(outside, problem.object);
    const { place } = annotations.find(({ name }) => "key" in problem && name === problem.key)!;
    return [
      {
        of: file,
        at: { file, ...place },
        why: "a tool fills in the value of this annotation; give this command its output",
      },
    ];
  });
}
