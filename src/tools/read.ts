/**
 * Reads the input of a tool: a folder, a file or standard input; a live cluster; or a folder over a
 * live cluster, which gives the state after the folder is applied.
 */

import { type KubernetesObject, objectKey } from "../core/model/objects.ts";
import type { Manifest } from "../edges/folder/manifest.ts";
import type { Call } from "./call.ts";
import { type Files, type ReadingOptions, readFolder } from "./folder.ts";
import { withoutPatches } from "./kustomizations.ts";
import type { More } from "./live.ts";

export type ReadObjects =
  | {
      readonly ok: true;
      readonly files: Files;
      /** The names of the `files` that come from a folder, whose objects have places. */
      readonly written: ReadonlySet<string>;
      /** The objects of the cluster, without those of the folder. */
      readonly cluster: Files;
      readonly server?: string;
      /** Sentences about parts that could not be read and are left out. */
      readonly notes: readonly string[];
      /** Those of `notes` that are about the cluster. */
      readonly clusterNotes: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/**
 * Reads the objects of a folder, a cluster or both. `folder` is undefined for the cluster alone.
 * `more` says what a cluster gives besides.
 */
export async function readObjects(
  call: Call,
  folder: string | undefined,
  more: More = "objects",
  options?: ReadingOptions,
): Promise<ReadObjects> {
  const local = folder === undefined ? undefined : readFolder(folder, options);
  if (local?.ok === false) return local;
  const { files: own, note } = withoutPatches(local?.files ?? new Map(), folder ?? "");
  const notes = note === undefined ? [] : [note];
  const written = new Set(own.keys());
  if (!call.live) return { ok: true, files: own, written, cluster: new Map(), notes, clusterNotes: [] };
  // The client is loaded only here, because loading it takes longer than a whole check.
  const { readCluster } = await import("./live.ts");
  const live = await readCluster(call.flags, call.options.context, process.env, more);
  if (!live.ok) return live;
  const { files: cluster, server, notes: clusterNotes } = live;
  const all = [...notes, ...clusterNotes];
  return { ok: true, files: applied(own, cluster), written, cluster, server, notes: all, clusterNotes };
}

/**
 * Returns the state after the folder is applied. Objects of the folder replace those of the cluster
 * and keep the fields that the API server has set: age and uid.
 */
function applied(own: Files, cluster: Files): Files {
  const present = new Map(
    [...cluster.values()].flatMap(({ objects }) => objects.map((one) => [idOf(one), one.object])),
  );
  const named = new Set([...own.values()].flatMap(({ objects }) => objects.map(idOf)));
  const rest = [...cluster].map(([file, manifest]): [string, Manifest] => [
    file,
    { ...manifest, objects: manifest.objects.filter((one) => !named.has(idOf(one))) },
  ]);
  const aged = [...own].map(([file, manifest]): [string, Manifest] => [
    file,
    {
      ...manifest,
      objects: manifest.objects.map((one) => ({ ...one, object: withIdentity(one.object, present.get(idOf(one))) })),
    },
  ]);
  return new Map([...rest, ...aged]);
}

const idOf = ({ kind, key }: { readonly kind: string; readonly key: string }): string => objectKey(kind, key);

function withIdentity(object: KubernetesObject | undefined, before: KubernetesObject | undefined) {
  if (object === undefined || before === undefined) return object;
  const { uid, creationTimestamp } = before.metadata;
  const identity = { ...(uid && { uid }), ...(creationTimestamp && { creationTimestamp }) };
  return { ...object, metadata: { ...object.metadata, ...identity } };
}
