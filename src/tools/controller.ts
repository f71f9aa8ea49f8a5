/**
 * Finds the ingress-nginx of a cluster: the Deployment or DaemonSet whose container runs it, and
 * its command line. A chart, a static manifest and a dump of a live cluster all have one.
 */

import { isMapping } from "../core/model/mapping.ts";
import type { Path } from "../core/schema/findings.ts";
import type { OtherObject } from "../edges/folder/manifest.ts";
import type { Place } from "../edges/folder/place.ts";
import { at } from "./value-at.ts";
import { variablesOf, withVariables } from "./variables.ts";

export interface FoundController {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Without the program's name; variables of the Pod are filled in. */
  readonly argv: readonly string[];
  readonly image: string | undefined;
  /** Paths of its container at which volumes are mounted. */
  readonly mounts: readonly string[];
  readonly file: string;
  /** Where the word with this index in `argv` is written. */
  readonly placeOf: (at: number) => Place;
}

export interface Written extends OtherObject {
  readonly file: string;
}

/** Returns the controllers, sorted by namespace and name. */
export function controllersIn(objects: Iterable<Written>): readonly FoundController[] {
  const found = [...objects].flatMap((object) => {
    const controller = controllerOf(object);
    return controller === undefined ? [] : [controller];
  });
  return found.sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
}

const programs = /(^|\/)nginx-ingress-controller$/;
const images = /(^|\/)(ingress-nginx\/controller|nginx-ingress-controller|controller-chroot)([-:@\w.]*)$/;

function controllerOf({ value, placeOf, file }: Written): FoundController | undefined {
  const { kind, metadata, spec } = value;
  if ((kind !== "Deployment" && kind !== "DaemonSet") || !isMapping(metadata) || typeof metadata.name !== "string")
    return undefined;
  const containers = at(spec, "template", "spec", "containers");
  for (const [number, container] of (Array.isArray(containers) ? containers : []).entries()) {
    const words = wordsOf(container).map((word) => ({
      ...word,
      path: ["spec", "template", "spec", "containers", number, ...word.path] as Path,
    }));
    const program = words.findIndex(({ text }) => programs.test(text));
    const image = at(container, "image");
    if (program < 0 && !(typeof image === "string" && images.test(image))) continue;
    const given = words.slice(program + 1);
    const namespace = typeof metadata.namespace === "string" ? metadata.namespace : "default";
    const variables = variablesOf({ namespace, name: metadata.name }, at(container, "env"));
    return {
      kind,
      namespace,
      name: metadata.name,
      argv: given.map(({ text }) => withVariables(text, variables)),
      image: typeof image === "string" ? image : undefined,
      mounts: mountsIn(at(container, "volumeMounts")),
      file,
      placeOf: (which) => placeOf(given[which]?.path ?? []),
    };
  }
  return undefined;
}

/** Returns the paths of a list of mounts, of a container or of the chart's values. */
export function mountsIn(list: unknown): readonly string[] {
  return (Array.isArray(list) ? list : []).flatMap((mount) => {
    const path = at(mount, "mountPath");
    return typeof path === "string" ? [path] : [];
  });
}

function wordsOf(container: unknown): readonly { readonly text: string; readonly path: Path }[] {
  return ["command", "args"].flatMap((field) => {
    const words = at(container, field);
    return (Array.isArray(words) ? words : []).map((text, number) => ({ text: String(text), path: [field, number] }));
  });
}
