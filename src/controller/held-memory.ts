/**
 * nginx's memory of records, with the journal from which nginx fills it and the channel that
 * changes it. Both have an instance key, by which an nginx with another controller's records is
 * recognised.
 */
import { randomUUID } from "node:crypto";
import { instanceKey, isReplaced } from "../core/model/records.ts";
import type { Memory } from "../core/sync/ports.ts";
import { written } from "../core/sync/written.ts";
import { Channel } from "../nginx/channel.ts";
import { Journal } from "../nginx/folder/journal.ts";
import type { JournalState } from "../nginx/folder/journal-text.ts";
import { strangeRecords } from "../nginx/held-records.ts";
import { type InstalledNginx, machineDisk, type RunFolder } from "../nginx/index.ts";
import { Pass } from "../nginx/pass.ts";

export interface HeldMemory {
  readonly channel: Channel;
  readonly memory: Memory;
  /** The records of a former process that still count. */
  readonly former: ReadonlyMap<string, string>;
  /** Whether an nginx runs that has all records of a former process. */
  readonly isFilled: boolean;
}

/** Opens both. A disk that accepts no writes is no reason to fail: nginx may be serving. */
export async function openMemory(
  folder: RunFolder,
  installed: InstalledNginx,
  report: (found: JournalState) => void,
  disk = machineDisk,
): Promise<HeldMemory> {
  const [journal, pass] = await Promise.all([
    Journal.open(folder.journal, disk),
    installed.pass ?? Pass.issue(folder.controllerPass),
  ]);
  report((journal.found.kind === "missing" && (await formerJournal(folder, disk))) || journal.found);
  // This removes what a write that was broken off has left. A journal that is not used stays until
  // the first records are known: nginx must not take a journal for complete that has none.
  if (journal.found.kind === "unfinished") await written(journal.write([]));
  const channel = new Channel(folder.controlSocket, pass, installed.socket);
  const former = new Map([...journal.records].filter(([key]) => key !== instanceKey && !isReplaced(key)));
  const isFilled = ((await channel.state())?.instance ?? "") !== "";
  return { channel, memory: memoryOf(journal, channel), former, isFilled };
}

/**
 * Removes the journal of an earlier release, because the same release may run again later and would
 * serve what it has. Returns undefined if there is none.
 */
async function formerJournal(
  { formerJournal: path }: RunFolder,
  disk: typeof machineDisk,
): Promise<JournalState | undefined> {
  const text = await disk.readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  await written(disk.rm(path));
  return { kind: "other-version", why: "an earlier release wrote it", lines: text.split("\n").length - 1 };
}

function memoryOf(journal: Journal, channel: Channel): Memory {
  const ourInstance = () => journal.records.get(instanceKey);
  return {
    records: journal.records,
    keep: (changes) => journal.write(ourInstance() === undefined ? [...changes, [instanceKey, randomUUID()]] : changes),
    publish: (changes) => channel.publish(changes),
    wasWritten: async () => (await channel.otherWriting()) !== undefined,
    strange: async () => {
      const writing = await channel.otherWriting();
      const strange = await strangeRecords(channel, journal.records);
      if (writing !== undefined) channel.acceptWriting(writing);
      return strange;
    },
    isOurs: async () => ourInstance() !== undefined && (await channel.state())?.instance === ourInstance(),
  };
}
