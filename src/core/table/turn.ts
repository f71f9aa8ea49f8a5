/** The inputs of a turn of the Translator: the previous ones and the present ones. */
import type { Dependencies } from "../model/dependencies.ts";
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { Settings } from "../settings/registry.ts";
import type { HostPolicy } from "../sources/host-policy/policy.ts";
import { emptyLastGood, type LastGood } from "./last-good.ts";
import { emptyQuarantine, type Quarantine } from "./quarantine.ts";

export interface Inputs {
  readonly snapshot: Snapshot;
  readonly lastGood: LastGood;
  readonly quarantine: Quarantine;
}

export const emptyInputs: Inputs = { snapshot: emptySnapshot, lastGood: emptyLastGood, quarantine: emptyQuarantine };

export interface Turn {
  /** The policy about which namespaces may use which hosts. */
  readonly hostPolicy: HostPolicy;
  readonly before: Inputs;
  readonly now: Inputs;
  readonly settings: Settings;
  /**
   * Whether everything has to be made again: in the first turn, and when the Settings or the host
   * policy have changed.
   */
  readonly afresh: boolean;
}

const tables = { Secret: "secrets", ConfigMap: "configMaps", Service: "services" } as const;

/**
 * Yields the users of changed objects of this kind. `index` has each object as `namespace/name`,
 * after `prefix`.
 */
export function* usersOfChanged(
  index: Dependencies,
  kind: keyof typeof tables,
  { before, now }: Pick<Turn, "before" | "now">,
  prefix = "",
): Iterable<string> {
  const objects: Table<unknown> = now.snapshot[tables[kind]];
  for (const { key } of objects.changesSince(before.snapshot[tables[kind]])) yield* index.usersOf(`${prefix}${key}`);
}
