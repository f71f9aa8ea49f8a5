/** Values that `run` and `serve` give to all of their parts. */
import { reportCallbacks } from "../../base/callbacks.ts";
import { callbackLog } from "../../edges/log/callback-log.ts";
import { type Log, openLog } from "../../edges/log/log.ts";
import type { Flags } from "../flags.ts";
import type { Ending } from "../run/ending.ts";
import { Running } from "../run/running.ts";

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

/** Opens the log and what the parts share. Lines are coloured if they go to a terminal. */
export function openProgram(flags: Flags, stdout: NodeJS.WriteStream, ending: Ending): Program {
  const write = (text: string): void => void stdout.write(text);
  const terminal = stdout.isTTY ? { colours: stdout.hasColors() } : false;
  const log = openLog({ verbosity: flags.v, terminal, write });
  reportCallbacks(callbackLog(log));
  return { flags, log, write, notices: !stdout.isTTY || flags.v > 0, ending, running: new Running() };
}
