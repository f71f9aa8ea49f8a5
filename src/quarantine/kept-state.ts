import type { LastGood } from "../translate/last-good.ts";
import type { Quarantine } from "../translate/quarantine.ts";

/** The quarantine's state that survives a restart. */
export interface KeptState {
  readonly lastGood: LastGood;
  readonly quarantine: Quarantine;
}
