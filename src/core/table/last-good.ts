/**
 * The last good forms of refused objects: an explicit input of `translate`. The sync keeps them on
 * disk, so that the result is the same after a restart.
 */

import type { KubernetesObject, Secret } from "../model/objects.ts";
import { Table } from "../model/table.ts";
import type { Fields } from "../policies/declare.ts";
import { featureList } from "../policies/registry.ts";

export interface LastGood {
  /** Only objects whose present version is refused, keyed by `objectKey`. */
  readonly objects: Table<KubernetesObject>;
  /** Only Secrets whose present key pair does not fit together. */
  readonly secrets: Table<Secret>;
  /** Only texts of ConfigMap keys whose present text is unreadable. */
  readonly settings: Readonly<Record<string, string>>;
}

export const emptyLastGood: LastGood = { objects: Table.empty(), secrets: Table.empty(), settings: {} };

const guardKeys = featureList
  .filter(([, { guard }]) => guard === true)
  .flatMap(([, { fields }]) => Object.values(fields as Fields).flatMap(({ key, aliases = [] }) => [key, ...aliases]));

/**
 * Whether the refused version adds or changes a guard. Then the last good version could admit
 * clients that the refused one keeps out.
 */
export function guardsDiffer(good: KubernetesObject, refused: KubernetesObject, prefix: string): boolean {
  return guardKeys.some((key) => {
    const [old, now] = [good, refused].map(({ metadata }) => metadata.annotations?.[`${prefix}/${key}`]);
    return now !== undefined && old !== now;
  });
}
