/** Inputs of a controller, in which `run`, `serve` and the tests differ. */

import type { Clock } from "../base/timing/clock.ts";
import type { Certificate } from "../core/model/configuration.ts";
import type { Template } from "../core/render/template.ts";
import type { Listener, Source } from "../core/sync/ports.ts";
import type { TranslateOptions } from "../core/table/options.ts";
import type { Machine } from "../core/tokens/machine.ts";
import type { answerCheckedNames, CheckedNameEvent } from "../edges/names/checked-names.ts";
import type { StreamPortEvent } from "../edges/names/stream-endpoints.ts";
import type { StapleEvent } from "../edges/ocsp/stapled-source.ts";
import type { Disk, InstalledNginx, JournalState, NginxEvent, RunFolder } from "../nginx/index.ts";

export interface ControllerOptions {
  readonly source: Source;
  readonly translate: TranslateOptions;
  readonly machine: Machine;
  /** The opened nginx and its run folder. */
  readonly installed: InstalledNginx;
  readonly folder: RunFolder;
  /** The built-in template. */
  readonly template: Template;
  readonly pace: Pace;
  /**
   * The certificate of hosts that have none. Its key takes another thread a tenth of a second, so a
   * program makes it first.
   */
  readonly fake: Promise<Certificate>;
  /** See `NginxOptions`. */
  readonly endWithController: boolean;
  readonly listener: Listener;
  readonly events: ControllerEvents;
  /** By default the clock and the disk of this machine. */
  readonly clock?: Clock;
  readonly disk?: Disk;
  /** Answers nginx's questions for names; by default on a port of this machine. */
  readonly answerNames?: typeof answerCheckedNames;
}

/** How often nginx may be reloaded, and how often its memory is checked. */
export interface Pace {
  readonly syncRateLimit: number;
  readonly reloadBurst: number;
  /** See `NginxOptions`. */
  readonly maxDraining: number;
  readonly auditMs?: number;
}

/** Events beside the turns, for the log and metrics. */
export interface ControllerEvents {
  readonly nginx: (event: NginxEvent) => void;
  readonly staple: (event: StapleEvent) => void;
  /** Called once, with the journal that an earlier process has left. */
  readonly journal: (found: JournalState) => void;
  readonly nameCheck: (event: CheckedNameEvent) => void;
  readonly streams: (event: StreamPortEvent) => void;
  /** Called when a template has failed on the present objects and the built-in one replaces it. */
  readonly templateGaveUp: (why: string) => void;
  /** Called with keys of records that another program had changed, and that were restored. */
  readonly strangeRecords: (keys: readonly string[]) => void;
}
