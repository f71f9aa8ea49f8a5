/** Logs how the journal of an earlier process was found, if that costs something. */
import type { JournalState } from "../../nginx/index.ts";
import type { Log } from "./log.ts";

export function journalLog(log: Log): (found: JournalState) => void {
  return (found) => {
    if (found.kind === "damaged" || found.kind === "other-version")
      log.warn(
        { why: found.why, dropped: found.lines },
        "the journal cannot be used: its lines are dropped, and its records are made again from the objects",
      );
    else if (found.kind === "unfinished")
      log.info("the last write to the journal was broken off; what it had is read from the objects");
  };
}
