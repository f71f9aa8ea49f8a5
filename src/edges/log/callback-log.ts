/** Logs what a timer, an event or a server could not do. Everything else goes on meanwhile. */
import type { CallbackReport } from "../../base/callbacks.ts";
import { bugWords } from "../../base/guarded.ts";
import type { Log } from "./log.ts";

export function callbackLog(log: Log): CallbackReport {
  return (what, failure) => {
    if (failure === undefined) return log.info({ what }, "this works again");
    // An error of the machine names its system call; any other one is a bug.
    const why = "syscall" in failure ? failure.message : bugWords(failure);
    log.error({ what, why }, "this failed, and everything else goes on; it is tried again when its time comes");
  };
}
