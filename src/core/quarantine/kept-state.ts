import type { LastGood } from "../table/last-good.ts";
import type { Quarantine } from "../table/quarantine.ts";

/** The quarantine's state that survives a restart. */
export interface KeptState {
  readonly lastGood: LastGood;
  readonly quarantine: Quarantine;
}
