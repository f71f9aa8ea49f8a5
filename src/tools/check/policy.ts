/** `check --policy`: reports what a host policy would change, before the policy is in force. */

import type { Flags } from "../../controller/flags.ts";
import { keyOf } from "../../core/model/objects.ts";
import { onNamespaces } from "../../core/sources/host-policy/in-force.ts";
import type { Manifest } from "../../edges/folder/manifest.ts";
import type { ToolOption } from "../call.ts";
import type { Finding } from "../findings.ts";
import { type Files, readFolder } from "../folder.ts";

export const policyOption: ToolOption = {
  name: "policy",
  value: "FILE|labels",
  doc: "Lists only which namespaces would lose which hosts under the policy of this ConfigMap, or of labels of Namespaces.",
};

export type UnderPolicy =
  | { readonly ok: true; readonly flags: Flags; readonly files: Files }
  | { readonly ok: false; readonly why: string };

/**
 * Returns flags and files with the policy in force. `policy` is a file with one ConfigMap, or the
 * word `labels`; without one they stay as they are.
 */
export function underPolicy(policy: string | undefined, flags: Flags, files: Files): UnderPolicy {
  if (policy === undefined) return { ok: true, flags, files };
  if (policy === onNamespaces) return { ok: true, flags: { ...flags, hostPolicy: onNamespaces }, files };
  const read = readFolder(policy);
  if (!read.ok) return read;
  const objects = [...read.files].flatMap(([file, manifest]) =>
    manifest.objects.map((one) => ({ file, manifest, one })),
  );
  const maps = objects.filter(({ one }) => one.kind === "ConfigMap" && one.object !== undefined);
  const [found] = maps;
  if (found === undefined || maps.length > 1)
    return {
      ok: false,
      why: `--policy takes a file with one ConfigMap, and ${policy} has ${maps.length || noneIn(read.files)}`,
    };
  const hostPolicy = keyOf(found.one.object!);
  // The ConfigMap in the file replaces one that exists already.
  const rest = [...files].map(([file, manifest]): [string, Manifest] => [
    file,
    { ...manifest, objects: manifest.objects.filter(({ kind, key }) => kind !== "ConfigMap" || key !== hostPolicy) },
  ]);
  return {
    ok: true,
    flags: { ...flags, hostPolicy },
    files: new Map([...rest, [found.file, { ...found.manifest, objects: [found.one] }]]),
  };
}

/** Returns the mistake that makes a ConfigMap unreadable, as words of a sentence. */
function noneIn(files: Files): string {
  const [found] = [...files].flatMap(([file, { faults }]) =>
    faults.flatMap((fault) => (fault.fatal ? [{ file, ...fault }] : [])),
  );
  if (found === undefined) return "none";
  const { file, place, field, why } = found;
  return `none that can be read: ${file}:${place.line}:${place.column}: ${field === "" ? "" : `${field}: `}${why}`;
}

/**
 * Whether a finding is about the policy: a host that it takes from an object, or an unreadable
 * entry.
 */
export const isAboutPolicy = ({ problem: { kind, object } }: Finding, { hostPolicy }: Flags): boolean =>
  kind === "host-refused" ||
  (hostPolicy === onNamespaces
    ? object.kind === "Namespace"
    : object.kind === "ConfigMap" && `${object.namespace}/${object.name}` === hostPolicy);
