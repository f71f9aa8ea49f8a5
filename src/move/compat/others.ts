/**
 * Finds controllers and Ingresses of F5's program, whose name is similar. The report names them and
 * does not judge them.
 */

import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import { type Ingress, nameOf } from "../../core/model/objects.ts";
import type { Files } from "../../tools/folder.ts";
import { at } from "../../tools/value-at.ts";
import type { Unjudged } from "./unjudged.ts";
import { controllerOfF5, isAnnotationOfF5, isImageOfF5, vendors } from "./vendors.ts";

/** Returns one entry for each such object in the files. */
export function othersIn(files: Files, ownPrefix: string): Unjudged[] {
  const found: Unjudged[] = [];
  for (const [file, { objects, others }] of files) {
    for (const { value, placeOf } of others) {
      if (!isMapping(value.metadata) || !imagesOf(value).some(isImageOfF5)) continue;
      const { namespace = "default", name } = value.metadata;
      found.push({
        of: `${value.kind} ${namespace}/${name}`,
        namespace: String(namespace),
        at: { file, ...placeOf([]) },
        why: `it runs ${vendors.f5}`,
      });
    }
    for (const { kind, key, object, placeOf } of objects) {
      if (kind === "IngressClass" && at(object, "spec", "controller") === controllerOfF5)
        found.push({ of: `IngressClass ${key}`, at: { file, ...placeOf([]) }, why: `it is for ${vendors.f5}` });
      if (kind !== "Ingress" || object === undefined) continue;
      const written = Object.keys((object as Ingress).metadata.annotations ?? {});
      const theirs = written.filter(isAnnotationOfF5);
      // An Ingress with annotations of ingress-nginx is judged, and theirs are mistakes in it.
      if (theirs.length === 0 || written.some((one) => one.startsWith(`${ownPrefix}/`))) continue;
      const place = { file, ...placeOf(["metadata", "annotations", theirs[0]!]) };
      const why = `${theirs.join(", ")}: for ${vendors.f5}; ingress-nginx and Sluice ignore them`;
      found.push({ of: `Ingress ${key}`, namespace: nameOf(key).namespace ?? "default", at: place, why });
    }
  }
  return found;
}

function imagesOf(value: Mapping): readonly string[] {
  const containers = at(value, "spec", "template", "spec", "containers");
  return (Array.isArray(containers) ? containers : []).flatMap((one) => {
    const image = at(one, "image");
    return typeof image === "string" ? [image] : [];
  });
}
