/**
 * The ports through which the sync reaches the world. The edges implement them; a test fills them
 * with object literals.
 */

import type { DesiredStatus } from "../model/gateway/status.ts";
import type { Problem } from "../model/problem.ts";
import type { RecordChange } from "../model/records.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { KeptState } from "../quarantine/kept-state.ts";
import type { RenderedFile } from "../render/rendered-files.ts";
import type { Circumstances, Rendered, RenderedText } from "../render/rendering.ts";
import type { Translation } from "../table/translator.ts";
import type { Inputs } from "../table/turn.ts";

/** The source of Snapshots: a cluster, a folder, a test. */
export interface Source {
  /** Resolves when the Snapshot is complete; absent if it always is. */
  readonly synced?: Promise<void>;
  snapshot(): Snapshot;
  /**
   * Calls `listener` after every change; the Snapshots show the difference. Returns a function that
   * ends this.
   */
  onChange(listener: () => void): () => void;
}

/** Translates the newest Snapshot into a Configuration and Problems. */
export interface Translates {
  turn(inputs: Inputs): Translation;
}

/** Renders a Configuration for nginx. */
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
  /** Makes the changes visible to every worker at its next request. */
  publish(changes: readonly RecordChange[]): Promise<PublishOutcome>;
  /** Whether nginx runs and has the controller's records. */
  isOurs(): Promise<boolean>;
  /** Whether nginx has counted writes of records that are not the controller's. */
  wasWritten?(): Promise<boolean>;
  /** The keys of records whose value in nginx differs from the published one. */
  strange?(): Promise<readonly string[]>;
}

/** The size of shared memory, and its free part. */
export interface MemoryUse {
  readonly capacityBytes: number;
  readonly freeBytes: number;
}

/** Undefined if nginx does not report the use of its memory. */
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
       * Whether the same text may work later. `names` is the file in the error, if nginx names
       * no line.
       */
      readonly mayPass?: true;
      readonly names?: string;
    }
  /** `names` is the address on which nginx cannot listen, if that is the reason. */
  | { readonly kind: "unreachable"; readonly cause: Error; readonly names?: string };

export interface Nginx {
  apply(text: RenderedText, signal: AbortSignal): Promise<ApplyOutcome>;
  /** Writes the files that nginx opens at requests. */
  keepOpened(files: readonly RenderedFile[]): Promise<void>;
  /** Whether workers of an older text still run. */
  hasOlderWorkers(): boolean;
  /** Returns the ports on which a program of this machine listens, such as `tcp/5432`. */
  portsInUse?(): Promise<ReadonlySet<string>>;
}

/** The state that survives a restart: last good forms, and the versions that nginx refused. */
export interface State {
  load(): KeptState;
  save(state: KeptState): Promise<void>;
}

/** Receives the reports of the sync, from which logs, Events and metrics are made. */
export interface Listener {
  /** Gets the Problems of one turn. */
  problems(all: Table<readonly Problem[]>): void;
  synced(report: SyncReport): void;
  /**
   * The statuses that objects of the Gateway API should have. It is called after each turn, and
   * again when nginx serves the Configuration of that turn, which is `live`.
   */
  statuses?(wanted: Table<DesiredStatus>, progress: "made" | "live"): void;
}

export interface SyncReport {
  readonly change: Change;
  /** The numbers of published records by kind: hosts, upstreams, certificates. */
  readonly records: Readonly<Record<string, number>>;
  readonly translateMs: number;
  readonly renderMs: number;
  readonly publishMs: number;
  /** Absent if no reload is needed, or it still has to wait. */
  readonly reload?: ApplyOutcome | TurnFailure;
  /** The time from the first wake-up for the change until it was live. */
  readonly tookMs: number;
  /** The reason if the change is live, but the disk has refused it, so that a restart loses it. */
  readonly unwritten?: Error;
}

/** Sluice itself failed; nginx was not changed and goes on serving. */
export interface TurnFailure {
  readonly kind: "failed";
  readonly cause: Error;
}

/** The cost of a change. */
export type Change =
  | { readonly kind: "none" }
  | { readonly kind: "data" }
  | {
      readonly kind: "reload";
      /** The parts of the text that differ. */
      readonly why: readonly string[];
      /** The directives that differ, with their objects; absent if none could be named. */
      readonly by?: string;
    };
