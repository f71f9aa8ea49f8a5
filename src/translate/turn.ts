/** What a turn of the Translator goes from: what it was given last and what it is given now. */
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import type { Settings } from "../settings/registry.ts";
import { emptyLastGood, type LastGood } from "./last-good.ts";
import { emptyQuarantine, type Quarantine } from "./quarantine.ts";

export interface Inputs {
  readonly snapshot: Snapshot;
  readonly lastGood: LastGood;
  readonly quarantine: Quarantine;
}

export const emptyInputs: Inputs = { snapshot: emptySnapshot, lastGood: emptyLastGood, quarantine: emptyQuarantine };

export interface Turn {
  readonly before: Inputs;
  readonly now: Inputs;
  readonly settings: Settings;
  /** Whether everything is to be made again: in the first turn, and when the Settings are others. */
  readonly afresh: boolean;
}
