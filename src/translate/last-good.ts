/**
 * The last good form of objects whose present one is refused: an explicit input of `translate`, kept on disk by the sync,
 * so that a restart gives the same answer as going on would have.
 */

import type { Fields } from "../annotations/declare.ts";
import { featureList } from "../annotations/registry.ts";
import type { Ingress, Secret } from "../model/objects.ts";
import { Table } from "../model/table.ts";

export interface LastGood {
  /** Only Ingresses whose present version is refused. */
  readonly ingresses: Table<Ingress>;
  /** Only Secrets whose present key pair does not fit together. */
  readonly secrets: Table<Secret>;
  /** Only texts of ConfigMap keys whose present text is unreadable. */
  readonly settings: Readonly<Record<string, string>>;
}

export const emptyLastGood: LastGood = { ingresses: Table.empty(), secrets: Table.empty(), settings: {} };

const guardKeys = featureList
  .filter(([, { guard }]) => guard === true)
  .flatMap(([, { fields }]) => Object.values(fields as Fields).flatMap(({ key, aliases = [] }) => [key, ...aliases]));

/** Whether the refused version adds or changes what says who may pass: then falling back to the older could let somebody in. */
export function guardsDiffer(good: Ingress, refused: Ingress, prefix: string): boolean {
  return guardKeys.some((key) => {
    const [old, now] = [good, refused].map(({ metadata }) => metadata.annotations?.[`${prefix}/${key}`]);
    return now !== undefined && old !== now;
  });
}
