/**
 * Lists what one Ingress, the ConfigMap or the command line uses, in the terms of
 * docs/differences.md.
 */
import { isIP } from "node:net";
import { variablesDeclaredIn } from "../../core/kinds/declared-variables.ts";
import { regexMistake } from "../../core/kinds/patterns.ts";
import { isPathVariable, isRequestVariable, strangersIn } from "../../core/kinds/request-variables.ts";
import { isKnownVariable } from "../../core/kinds/variables.ts";
import type { Ingress, Service } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { annotationKeys } from "../../core/policies/read.ts";
import { type Concern, type Difference, fits, type Part } from "./differences.ts";

/**
 * Texts of annotations, keys and flags by name; `shapes` are properties that are not a single text.
 */
export interface Uses {
  readonly annotation: ReadonlyMap<string, string>;
  readonly key: ReadonlyMap<string, string>;
  readonly flag: ReadonlyMap<string, string>;
  readonly shape: ReadonlyMap<string, string>;
  /** Whether the value of this annotation, key or flag cannot be read. */
  readonly isUnreadable: (of: Part["of"], name: string) => boolean;
  /** Whether the value asks for more than the operator permits. */
  readonly isLimited: (of: Part["of"], name: string) => boolean;
}

/**
 * Returns the names that the difference is about: its `about` parts that are present, if all other
 * parts are as well.
 */
export function metBy(
  uses: Uses,
  { concerns }: Difference,
  where: "ingress" | "everywhere",
): readonly { readonly of: Part["of"]; readonly name: string }[] {
  return concerns
    .filter((concern) => isOfIngress(concern) === (where === "ingress"))
    .filter(({ about }) => matching(uses, about).length > 0)
    .filter(({ besides }) => besides.every((part) => matching(uses, part).length > 0 !== part.absent))
    .flatMap((concern) => {
      const { about } = namedFirst(concern, where);
      return matching(uses, about).map((name) => ({ of: about.of, name }));
    });
}

/** Whether some part of the concern is about an Ingress. */
const isOfIngress = ({ about, besides }: Concern): boolean =>
  [about, ...besides].some(({ of }) => of === "annotation" || of === "shape");

/**
 * Returns the concern with its annotation first: a setting that only matters together with an
 * annotation is reported at the annotation.
 */
function namedFirst(concern: Concern, where: "ingress" | "everywhere"): Concern {
  if (where === "everywhere" || concern.about.of === "annotation" || concern.about.of === "shape") return concern;
  const first = concern.besides.find(({ of, absent }) => of === "annotation" && !absent);
  return first === undefined ? concern : { ...concern, about: first };
}

function matching(uses: Uses, { of, name, value, only }: Part): readonly string[] {
  const text = uses[of].get(name);
  // The list is long, so a plain name is looked up.
  const named = name.includes("*")
    ? [...uses[of]].filter(([key]) => fits(name, key))
    : text === undefined
      ? []
      : [[name, text] as const];
  return named
    .filter(([, text]) => value === undefined || fits(value, text))
    .filter(([key]) => only !== "unreadable" || uses.isUnreadable(of, key))
    .filter(([key]) => only !== "limited" || uses.isLimited(of, key))
    .filter(([key, text]) => {
      const allowed = allowedIn[key] ?? isPathVariable;
      if (only !== "naming other variables") return true;
      const strangers = strangersIn(text, allowed);
      return strangers.length > 0 && !(takesDeclared.has(key) && strangers.every(declaredIn(uses)));
    })
    .map(([key]) => key);
}

/** The variables that an annotation may name, if they are not those of a path. */
const allowedIn: Readonly<Record<string, (name: string) => boolean>> = {
  "app-root": isRequestVariable,
  "auth-signin": (name) => isKnownVariable(name, "http"),
};

/** Annotations that take the variables of a snippet of the same Ingress or of the ConfigMap. */
const takesDeclared: ReadonlySet<string> = new Set(["auth-signin", "upstream-vhost"]);

function declaredIn({ annotation, key }: Uses): (variable: string) => boolean {
  const snippets = [...annotation, ...key].filter(([name]) => name.endsWith("-snippet"));
  const declared = new Set(snippets.flatMap(([, text]) => variablesDeclaredIn(text)));
  return (variable) => declared.has(variable);
}

/** Whether a difference is about the value of this annotation, and not only about its presence. */
export function isJudgedByValue(uses: Uses, list: readonly Difference[], key: string): boolean {
  const parts = list.flatMap(({ concerns }) => concerns.map(({ about }) => about));
  return parts.some(
    (part) =>
      part.of === "annotation" &&
      (part.value !== undefined || part.only !== undefined) &&
      matching(uses, part).includes(key),
  );
}

const known = new Set(annotationKeys);

/** Returns the annotations that have a meaning, with the prefix removed. */
export function annotationsOf({ metadata }: Ingress, prefix: string): ReadonlyMap<string, string> {
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(`${prefix}/`));
  return new Map(own.map(([key, text]) => [key.slice(prefix.length + 1), text]));
}

/** Leaves out empty annotations, which have no meaning. */
export function understood(annotations: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...annotations].filter(([key, text]) => known.has(key) && text !== ""));
}

/**
 * Returns the things that the Ingress uses without an annotation, by their names in
 * docs/differences.md.
 */
export function shapesOf(ingress: Ingress, { services }: Pick<Snapshot, "services">): ReadonlyMap<string, string> {
  const { rules = [], defaultBackend } = ingress.spec ?? {};
  const paths = rules.flatMap(({ http }) => http?.paths ?? []);
  const names = [defaultBackend, ...paths.map(({ backend }) => backend)];
  const used = names.flatMap((backend) => {
    const name = backend?.service?.name;
    return name === undefined ? [] : [services.get(`${ingress.metadata.namespace}/${name}`)];
  });
  return new Map([
    ...(paths.some(({ path = "" }) => regexMistake(path) !== undefined)
      ? [["path that is not a regular expression", ""] as const]
      : []),
    ...(paths.some(({ path = "" }) => path.includes("|")) ? [["path of alternatives", ""] as const] : []),
    ...(rules.some(({ host }) => host?.startsWith("*.")) ? [["wildcard host", ""] as const] : []),
    ...(rules.some(({ host = "" }) => host === "") ? [["hostless rule", ""] as const] : []),
    ...(used.some(isOfAddress) ? [["externalName of an IP address", ""] as const] : []),
  ]);
}

function isOfAddress(service: Service | undefined): boolean {
  const { type, externalName = "" } = service?.spec ?? {};
  return type === "ExternalName" && isIP(externalName.replace(/\.$/, "")) !== 0;
}
