/**
 * Logs one line for each sync that changes what is served: the change, the reload and its reason,
 * and the time of each stage. Other syncs are only logged with -v 2; `sluice_syncs_total` counts
 * them.
 */
import { bugWords } from "../../base/guarded.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { ApplyOutcome, SyncReport, TurnFailure } from "../../core/sync/ports.ts";
import { changedObjects, changeWords } from "./changed-objects.ts";
import type { Log } from "./log.ts";

export class SyncLog {
  readonly #log: Log;
  #last: Snapshot | undefined;
  /** Warnings of the last reload, without their time and process. */
  #warnings: ReadonlySet<string> = new Set();
  #isUnwritten = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Logs the report of a turn. `snapshot` is the Snapshot that the sync used. */
  synced(report: SyncReport, snapshot: Snapshot): void {
    const changed = changeWords(changedObjects(this.#last, snapshot));
    this.#last = snapshot;
    const { change, records, reload } = report;
    const fields = {
      ...(changed === "" ? {} : { changed }),
      ...(change.kind === "reload" ? { why: change.why.join(", ") } : {}),
      ...(change.kind === "reload" && change.by !== undefined ? { by: change.by } : {}),
      ...(Object.keys(records).length === 0 ? {} : { published: counted(records) }),
      took: ms(report.tookMs),
      translate: ms(report.translateMs),
      render: ms(report.renderMs),
      publish: ms(report.publishMs),
    };
    if (reload !== undefined) this.#reloaded(reload, fields);
    else if (change.kind === "data") this.#log.info(fields, "applied without a reload");
    else if (change.kind === "none") this.#log.debug(fields, "nothing to change in nginx");
    else this.#log.info(fields, "not live yet: it waits for a reload");
    this.#disk(report);
  }

  /** Logs once that the disk refuses writes, and once that it accepts them again. */
  #disk({ unwritten, reload }: SyncReport): void {
    if (reload?.kind === "unreachable" || (unwritten !== undefined) === this.#isUnwritten) return;
    this.#isUnwritten = unwritten !== undefined;
    if (unwritten === undefined) this.#log.info("the run folder can be written again, and has everything");
    else
      this.#log.error(
        { cause: unwritten.message },
        "the run folder cannot be written: changes of data are live, but a restart would lose them; trying again",
      );
  }

  /** Logs new warnings only, because nginx repeats each warning at every reload. */
  #warn(warnings: ReadonlySet<string>): void {
    for (const warning of warnings) if (!this.#warnings.has(warning)) this.#log.warn({ warning }, "nginx warns");
    this.#warnings = warnings;
  }

  #reloaded(reload: ApplyOutcome | TurnFailure, fields: object): void {
    switch (reload.kind) {
      case "reloaded":
        this.#log.info({ ...fields, reload: ms(reload.tookMs) }, "applied with a reload");
        this.#warn(new Set(reload.warnings.map(withoutTime)));
        break;
      case "unchanged":
        this.#log.debug(fields, "nginx has it already");
        break;
      case "refused":
        this.#log.error({ ...fields, said: reload.stderr }, "nginx refuses it and stays as it was");
        break;
      case "unreachable":
        this.#log.error(
          { ...fields, cause: reload.cause.message },
          "nginx could not apply the configuration; trying again",
        );
        break;
      case "failed":
        this.#log.error(
          { ...fields, bug: bugWords(reload.cause) },
          "a bug in Sluice: these changes are not applied, what was served goes on; trying again",
        );
        break;
    }
  }
}

/** Removes time and process from `2026/11/23 10:55:08 [warn] 1#1: conflicting server name`. */
const withoutTime = (line: string): string => line.replace(/^.*?\[warn\] (\d+#\d+: )?/, "");

/** Returns, for example, `hosts 2, upstreams 1`. */
function counted(records: Readonly<Record<string, number>>): string {
  return Object.entries(records)
    .map(([sort, count]) => `${sort} ${count}`)
    .join(", ");
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}ms`;
}
