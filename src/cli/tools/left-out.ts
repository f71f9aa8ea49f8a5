/**
 * Notes about objects in the files that a tool's answer leaves out: Ingresses that are not served
 * here, and those that cannot be read. Without a note the answer would look as if it were about
 * them too.
 */
import type { Ingress } from "../../model/objects.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { type Files, unreadIn } from "./folder.ts";

/**
 * Returns a sentence where there are Ingresses that are not served. `served` is the class that the
 * controller serves.
 */
export function leftOutNote(
  { ingresses }: Pick<Snapshot, "ingresses">,
  isServed: (key: string) => boolean,
  served: string,
): string | undefined {
  const left = [...ingresses].filter(([key]) => !isServed(key));
  if (left.length === 0) return undefined;
  const names = left.slice(0, mostNames).map(([key, ingress]) => `${key} (${whyOf(ingress, served)})`);
  const more = left.length > mostNames ? ` and ${left.length - mostNames} more` : "";
  const what = left.length === 1 ? "1 Ingress is" : `${left.length} Ingresses are`;
  return `${what} not served here, and left out: ${names.join("; ")}${more}`;
}

const mostNames = 5;

function whyOf({ metadata, spec }: Ingress, served: string): string {
  if (metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const named = spec?.ingressClassName ?? metadata.annotations?.["kubernetes.io/ingress.class"];
  if (named === undefined) return `it names no class, and ${served} is served`;
  return named === served ? "its namespace is not watched" : `its class is ${named}, and ${served} is served`;
}

/** Returns a sentence about Ingresses and files that are not applied because of a mistake. */
export function unreadNote(files: Files): string | undefined {
  const ingresses = unreadIn(files).map(({ key }) => `Ingress ${key}`);
  const whole = [...files].flatMap(([file, { faults, strays = [] }]) =>
    strays.length === 0 && faults.some(({ object, fatal }) => object === undefined && fatal) ? [file] : [],
  );
  const all = [...ingresses, ...whole];
  if (all.length === 0) return undefined;
  const more = all.length > mostNames ? ` and ${all.length - mostNames} more` : "";
  const is = all.length === 1 ? "has a mistake and is" : "have mistakes and are";
  return `${all.slice(0, mostNames).join(", ")}${more} ${is} left out; sluice check says what is wrong`;
}
