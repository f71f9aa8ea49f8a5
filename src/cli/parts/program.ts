/** Values that `run` and `serve` give to all of their parts. */
import type { Log } from "../../log/log.ts";
import type { Flags } from "../flags.ts";
import type { Ending } from "../run/ending.ts";
import type { Running } from "../run/running.ts";

export interface Program {
  readonly flags: Flags;
  readonly log: Log;
  /** Takes the lines that nginx logs. */
  readonly write: (text: string) => void;
  /** Whether nginx's notices are logged, or only its warnings. */
  readonly notices: boolean;
  readonly ending: Ending;
  /** State of started parts, which other parts use. */
  readonly running: Running;
}
