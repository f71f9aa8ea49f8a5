/**
 * The ports through which the sync reaches the world. The edges implement them; a test fills them
 * with object literals.
 */

import type { DesiredStatus } from "../model/gateway/status.ts";
import type { RecordChange } from "../model/records.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import type { KeptState } from "../quarantine/kept-state.ts";
import type { RenderedFile } from "../render/rendered-files.ts";
import type { Circumstances, Rendered, RenderedText } from "../render/rendering.ts";
import type { Translation } from "../translate/translator.ts";
import type { Inputs } from "../translate/turn.ts";

/** Where a Snapshot comes from: a cluster, a folder, a test. */
export interface Source {
  /** Resolves when the Snapshot is complete; absent where it is complete from the beginning. */
  readonly synced?: Promise<void>;
  snapshot(): Snapshot;
  /**
   * Calls `listener` after every change; what changed is read from the Snapshots. Returns how to
   * stop.
   */
  onChange(listener: () => void): () => void;
}

/** The newest Snapshot, as a Configuration and Problems. */
export interface Translates {
  turn(inputs: Inputs): Translation;
}

/** A Configuration, as nginx gets it. */
export interface Renders {
  render(next: Translation["configuration"], circumstances: Circumstances): Rendered;
}

export type { RecordChange };

/** nginx's shared memory, and its copy on the disk. */
export interface Memory {
  /** The records on the disk, from which nginx fills an empty memory. */
  readonly records: ReadonlyMap<string, string>;
  /** Writes to the disk only. */
  keep(changes: readonly RecordChange[]): Promise<void>;
  /** Makes every worker see the changes at its next request. */
  publish(changes: readonly RecordChange[]): Promise<PublishOutcome>;
  /** Whether nginx runs and holds records of ours, rather than none. */
  isOurs(): Promise<boolean>;
  /** Whether nginx has counted writes of records that are not ours. */
  wasWritten?(): Promise<boolean>;
  /** The keys of records whose value in nginx differs from the one that was given. */
  strange?(): Promise<readonly string[]>;
}

/** The size of shared memory, and how much of it is free. */
export interface MemoryUse {
  readonly capacityBytes: number;
  readonly freeBytes: number;
}

/** An nginx may not report the use of its memory. */
export type PublishOutcome =
  | { readonly kind: "published"; readonly memory?: MemoryUse }
  | { readonly kind: "full"; readonly memory: MemoryUse }
  | { readonly kind: "unreachable"; readonly cause: Error };

export type ApplyOutcome =
  /** `started`: no nginx ran before, and this one has filled its memory from the disk. */
  | {
      readonly kind: "reloaded";
      readonly tookMs: number;
      readonly warnings: readonly string[];
      readonly started?: true;
    }
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "refused";
      readonly stderr: string;
      readonly at?: { readonly file: string; readonly line: number };
      /**
       * The same text may work later. `names` is the file that the error is about, where nginx
       * names no line.
       */
      readonly mayPass?: true;
      readonly names?: string;
    }
  /** `names` is the address on which nginx cannot listen, where that is the reason. */
  | { readonly kind: "unreachable"; readonly cause: Error; readonly names?: string };

export interface Nginx {
  apply(text: RenderedText, signal: AbortSignal): Promise<ApplyOutcome>;
  /** Writes the files that nginx opens at requests. */
  keepOpened(files: readonly RenderedFile[]): Promise<void>;
  /** Whether workers of an older text still run. */
  hasOlderWorkers(): boolean;
}

/** The state that survives a restart: last good forms, and the versions that nginx refused. */
export interface State {
  load(): KeptState;
  save(state: KeptState): Promise<void>;
}

/** Receives what the sync reports; logs, Events and metrics are made of it. */
export interface Listener {
  /** The Problems of one turn. */
  problems(all: Table<readonly Problem[]>): void;
  synced(report: SyncReport): void;
  /**
   * The statuses that objects of the Gateway API should have: after each turn, and again when nginx
   * answers by the Configuration of that turn, which is `live`.
   */
  statuses?(wanted: Table<DesiredStatus>, progress: "made" | "live"): void;
}

export interface SyncReport {
  readonly change: Change;
  /** Records that were published, by their first word: hosts, upstreams, certificates. */
  readonly records: Readonly<Record<string, number>>;
  readonly translateMs: number;
  readonly renderMs: number;
  readonly publishMs: number;
  /** Absent where no reload was needed, or where one is needed and still has to wait. */
  readonly reload?: ApplyOutcome | TurnFailure;
  /** From the first wake-up for the change until it was live. */
  readonly tookMs: number;
}

/** Sluice itself failed; nginx was not asked, and serves what it served. */
export interface TurnFailure {
  readonly kind: "failed";
  readonly cause: Error;
}

/** The cost of a change. */
export type Change =
  | { readonly kind: "none" }
  | { readonly kind: "data" }
  | { readonly kind: "reload"; readonly why: readonly string[] };
