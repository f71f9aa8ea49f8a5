/**
 * The state of the sync that survives a restart, as one JSON file in the run folder: the last good
 * forms of refused objects, and the versions that nginx refused. It contains Secrets and is as
 * private as they are.
 */
import { type Ingress, type KubernetesObject, keyOf, objectKey, type Secret } from "../core/model/objects.ts";
import { Table } from "../core/model/table.ts";
import type { KeptState } from "../core/quarantine/kept-state.ts";
import type { State } from "../core/sync/ports.ts";
import { emptyLastGood } from "../core/table/last-good.ts";
import { emptyQuarantine, type Refusal } from "../core/table/quarantine.ts";
import { machineDisk, writeAtomically } from "../nginx/index.ts";

type Entries<T> = readonly (readonly [string, T])[];

interface Written {
  /** Objects by kind and name. */
  readonly objects: Entries<KubernetesObject>;
  readonly secrets: readonly Secret[];
  readonly settings: Readonly<Record<string, string>>;
  readonly refusedObjects: Entries<Refusal>;
  readonly refusedSettings: Entries<Refusal>;
  readonly refusedPorts: Entries<Refusal>;
}

/** The form of earlier releases, which had only Ingresses. */
interface WrittenBefore extends Omit<Written, "objects" | "refusedObjects"> {
  readonly ingresses: readonly Ingress[];
  /** Ingresses by `namespace/name`. */
  readonly refusedIngresses: Entries<Refusal>;
}

/** Opens the state file. A missing or unreadable file counts as empty. */
export function stateFile(path: string, disk = machineDisk): State {
  let last: KeptState | undefined;
  return {
    load: () => {
      last = read(path, disk);
      return last;
    },
    save: async (state) => {
      const same = last?.lastGood === state.lastGood && last.quarantine === state.quarantine;
      if (same) return;
      const [before, after] = [last && textOf(last), textOf(state)];
      if (before !== after) await writeAtomically(path, after, disk);
      last = state;
    },
  };
}

function textOf({ lastGood, quarantine }: KeptState): string {
  const written: Written = {
    objects: [...lastGood.objects],
    secrets: [...lastGood.secrets.values()],
    settings: lastGood.settings,
    refusedObjects: [...quarantine.objects],
    refusedSettings: [...quarantine.settings],
    refusedPorts: [...quarantine.ports],
  };
  return JSON.stringify(written);
}

function read(path: string, disk: typeof machineDisk): KeptState {
  try {
    const found = JSON.parse(disk.readFileSync(path, "utf8")) as Written | WrittenBefore;
    const written = "ingresses" in found ? upgraded(found) : found;
    return {
      lastGood: {
        objects: Table.from(written.objects),
        secrets: Table.from(written.secrets.map((secret) => [keyOf(secret), secret])),
        settings: written.settings,
      },
      quarantine: {
        objects: new Map(written.refusedObjects),
        settings: new Map(written.refusedSettings),
        ports: new Map(written.refusedPorts),
      },
    };
  } catch {
    return { lastGood: emptyLastGood, quarantine: emptyQuarantine };
  }
}

function upgraded({ ingresses, refusedIngresses, ...rest }: WrittenBefore): Written {
  return {
    ...rest,
    objects: ingresses.map((ingress) => [objectKey("Ingress", keyOf(ingress)), ingress]),
    refusedObjects: refusedIngresses.map(([key, refusal]) => [objectKey("Ingress", key), refusal]),
  };
}
