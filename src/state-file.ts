/**
 * The sync's memory over a restart, as one JSON file in the run folder: last good forms of objects whose present one is
 * refused, and what nginx refused. It holds Secrets, and is as private as they are.
 */
import { readFileSync } from "node:fs";
import { type Ingress, keyOf, type Secret } from "./model/objects.ts";
import { Table } from "./model/table.ts";
import { writeAtomically } from "./nginx/index.ts";
import type { KeptState } from "./quarantine/kept-state.ts";
import type { State } from "./sync/ports.ts";
import { emptyLastGood } from "./translate/last-good.ts";
import { emptyQuarantine, type Refusal } from "./translate/quarantine.ts";

interface Written {
  readonly ingresses: readonly Ingress[];
  readonly secrets: readonly Secret[];
  readonly settings: Readonly<Record<string, string>>;
  readonly refusedIngresses: readonly (readonly [string, Refusal])[];
  readonly refusedSettings: readonly (readonly [string, Refusal])[];
  readonly refusedPorts: readonly (readonly [string, Refusal])[];
}

/** A file that is missing or cannot be read means that there is nothing to remember. */
export function stateFile(path: string): State {
  let last: KeptState | undefined;
  return {
    load: () => {
      last = read(path);
      return last;
    },
    save: async (state) => {
      const same = last?.lastGood === state.lastGood && last.quarantine === state.quarantine;
      if (same) return;
      const [before, after] = [last && textOf(last), textOf(state)];
      if (before !== after) await writeAtomically(path, after);
      last = state;
    },
  };
}

function textOf({ lastGood, quarantine }: KeptState): string {
  const written: Written = {
    ingresses: [...lastGood.ingresses.values()],
    secrets: [...lastGood.secrets.values()],
    settings: lastGood.settings,
    refusedIngresses: [...quarantine.ingresses],
    refusedSettings: [...quarantine.settings],
    refusedPorts: [...quarantine.ports],
  };
  return JSON.stringify(written);
}

function read(path: string): KeptState {
  try {
    const written = JSON.parse(readFileSync(path, "utf8")) as Written;
    return {
      lastGood: {
        ingresses: Table.from(written.ingresses.map((ingress) => [keyOf(ingress), ingress])),
        secrets: Table.from(written.secrets.map((secret) => [keyOf(secret), secret])),
        settings: written.settings,
      },
      quarantine: {
        ingresses: new Map(written.refusedIngresses),
        settings: new Map(written.refusedSettings),
        ports: new Map(written.refusedPorts),
      },
    };
  } catch {
    return { lastGood: emptyLastGood, quarantine: emptyQuarantine };
  }
}
