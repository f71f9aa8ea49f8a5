/**
 * Notes about objects in the files that a tool's answer leaves out: Ingresses and Gateways that are
 * not served here, and objects that cannot be read. Without a note the answer would look as if it
 * were about them too.
 */
import { unreadOf } from "../../manifests/file-state.ts";
import { type Ingress, writtenName } from "../../model/objects.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Files } from "./folder.ts";

/**
 * Returns a sentence if there are Ingresses that are not served. `served` is the class that the
 * controller serves.
 */
export function leftOutNote(
  { ingresses }: Pick<Snapshot, "ingresses">,
  isServed: (key: string) => boolean,
  served: string,
): string | undefined {
  const left = [...ingresses].filter(([key]) => !isServed(key));
  return noteOf(
    ["Ingress", "Ingresses"],
    left.map(([key, ingress]) => `${key} (${whyOf(ingress, served)})`),
  );
}

/**
 * Returns the same for Gateways, whose routes are left out with them. Their GatewayClass may be in
 * a cluster, so a class that is missing in the files is not a mistake, but the tools treat the
 * Gateway as one of another controller.
 */
export function gatewaysLeftOutNote(
  { gateways, gatewayClasses }: Pick<Snapshot, "gateways" | "gatewayClasses">,
  isAbout: (key: string) => boolean,
  controllerName: string,
): string | undefined {
  const left = [...gateways].flatMap(([key, { spec }]) => {
    const name = spec?.gatewayClassName ?? "";
    const found = gatewayClasses.get(name);
    if (!isAbout(key) || found?.spec?.controllerName === controllerName) return [];
    const why = found === undefined ? "is in no file" : `has the controller ${found.spec?.controllerName}`;
    return [`${key} (its GatewayClass ${name} ${why})`];
  });
  return noteOf(["Gateway", "Gateways"], left);
}

const mostNames = 5;

function noteOf([one, many]: readonly [string, string], left: readonly string[]): string | undefined {
  if (left.length === 0) return undefined;
  const more = left.length > mostNames ? ` and ${left.length - mostNames} more` : "";
  const what = left.length === 1 ? `1 ${one} is` : `${left.length} ${many} are`;
  return `${what} not served here, and left out: ${left.slice(0, mostNames).join("; ")}${more}`;
}

function whyOf({ metadata, spec }: Ingress, served: string): string {
  if (metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const named = spec?.ingressClassName ?? metadata.annotations?.["kubernetes.io/ingress.class"];
  if (named === undefined) return `it names no class, and ${served} is served`;
  return named === served ? "its namespace is not watched" : `its class is ${named}, and ${served} is served`;
}

/** Returns a sentence about objects and files that are not applied because of a mistake. */
export function unreadNote(files: Files): string | undefined {
  const objects = [...files.values()].flatMap(unreadOf).map(({ kind, key }) => writtenName(kind, key));
  const whole = [...files].flatMap(([file, { faults, strays = [] }]) =>
    strays.length === 0 && faults.some(({ object, fatal }) => object === undefined && fatal) ? [file] : [],
  );
  const all = [...objects, ...whole];
  if (all.length === 0) return undefined;
  const more = all.length > mostNames ? ` and ${all.length - mostNames} more` : "";
  const is = all.length === 1 ? "has a mistake and is" : "have mistakes and are";
  return `${all.slice(0, mostNames).join(", ")}${more} ${is} left out; sluice check says what is wrong`;
}
