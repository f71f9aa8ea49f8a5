/** What the sync needs of the world. The edges fill these in; a test fills them with object literals. */
import type { Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import type { KeptState } from "../quarantine/kept-state.ts";
import type { RecordChange } from "../render/dynamic/records.ts";
import type { RenderedFile } from "../render/rendered-files.ts";
import type { RenderedText } from "../render/rendering.ts";

/** Where a Snapshot comes from: a cluster, a folder, a test. */
export interface Source {
  /** Resolves when the Snapshot holds everything there is; left out where it does from the beginning. */
  readonly synced?: Promise<void>;
  snapshot(): Snapshot;
  /** Calls `listener` after every change; what changed is read from the Snapshots. Gives back how to stop. */
  onChange(listener: () => void): () => void;
}

export type { RecordChange };

/** nginx's shared memory, and the disk's copy of it. */
export interface Memory {
  /** What the disk holds, from which nginx fills an empty memory. */
  readonly records: ReadonlyMap<string, string>;
  /** Writes to the disk only. */
  keep(changes: readonly RecordChange[]): Promise<void>;
  /** Makes every worker see the changes at its next request. */
  publish(changes: readonly RecordChange[]): Promise<PublishOutcome>;
  /** Whether nginx runs and holds records of ours, rather than none. */
  isOurs(): Promise<boolean>;
  /** Whether nginx counts writings of records that are not ours. */
  wasWritten?(): Promise<boolean>;
  /** The keys of records that nginx holds otherwise than they were given. */
  strange?(): Promise<readonly string[]>;
}

/** How large shared memory is, and how much of it nothing is in. */
export interface Room {
  readonly capacityBytes: number;
  readonly freeBytes: number;
}

/** nginx may not say how much room there is. */
export type PublishOutcome =
  | { readonly kind: "published"; readonly room?: Room }
  | { readonly kind: "full"; readonly room: Room }
  | { readonly kind: "unreachable"; readonly cause: Error };

export type ApplyOutcome =
  /** `started`: none ran before, and this one has filled its memory from the disk. */
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
      /** The same text may do later; `names` is the file it is about, where there is no place. */
      readonly mayPass?: true;
      readonly names?: string;
    }
  /** `names` is the address that nginx cannot listen on, where that is the reason. */
  | { readonly kind: "unreachable"; readonly cause: Error; readonly names?: string };

export interface Nginx {
  apply(text: RenderedText, signal: AbortSignal): Promise<ApplyOutcome>;
  /** Makes the files that requests open be on disk. */
  keepOpened(files: readonly RenderedFile[]): Promise<void>;
  /** Whether workers of an older text are still there. */
  hasOlderWorkers(): boolean;
}

/** What a restart must not forget: last good forms, and what nginx refused. */
export interface State {
  load(): KeptState;
  save(state: KeptState): Promise<void>;
}

/** What the sync tells: logs, Events and metrics are made of it. */
export interface Listener {
  /** One turn's Problems, as far as they differ from the last turn's. */
  problems(all: Table<readonly Problem[]>): void;
  synced(report: SyncReport): void;
}

export interface SyncReport {
  readonly change: Change;
  /** Records that were published, by their first word: hosts, upstreams, certificates. */
  readonly records: Readonly<Record<string, number>>;
  readonly translateMs: number;
  readonly renderMs: number;
  readonly publishMs: number;
  /** Absent where none was needed, or where `change` says that one is and it still has to wait. */
  readonly reload?: ApplyOutcome;
  /** From the first notice of the change until it was live. */
  readonly tookMs: number;
}

/** What a change costs. */
export type Change =
  | { readonly kind: "none" }
  | { readonly kind: "data" }
  | { readonly kind: "reload"; readonly why: readonly string[] };
