import type { LastGood } from "../translate/last-good.ts";
import type { Quarantine } from "../translate/quarantine.ts";

/** What the quarantine keeps over a restart. */
export interface KeptState {
  readonly lastGood: LastGood;
  readonly quarantine: Quarantine;
}
