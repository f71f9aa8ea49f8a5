/**
 * nginx's memory of records, with the journal from which nginx fills it and the channel that
 * changes it. Both have an instance key, by which an nginx with another controller's records is
 * recognised.
 */
import { randomUUID } from "node:crypto";
import { instanceKey, isReplaced } from "../model/records.ts";
import { Channel } from "../nginx/channel.ts";
import { Journal } from "../nginx/folder/journal.ts";
import { strangeRecords } from "../nginx/held-records.ts";
import type { InstalledNginx, RunFolder } from "../nginx/index.ts";
import { Pass } from "../nginx/pass.ts";
import type { Memory } from "../sync/ports.ts";

export interface HeldMemory {
  readonly channel: Channel;
  readonly memory: Memory;
  /** The records of a former process that still count. */
  readonly former: ReadonlyMap<string, string>;
}

export async function openMemory(folder: RunFolder, installed: InstalledNginx): Promise<HeldMemory> {
  const [journal, pass] = await Promise.all([
    Journal.open(folder.journal),
    installed.pass ?? Pass.issue(folder.controllerPass),
  ]);
  if (!journal.records.has(instanceKey)) await journal.write([[instanceKey, randomUUID()]]);
  const channel = new Channel(folder.controlSocket, pass);
  const former = new Map([...journal.records].filter(([key]) => key !== instanceKey && !isReplaced(key)));
  return { channel, memory: memoryOf(journal, channel), former };
}

function memoryOf(journal: Journal, channel: Channel): Memory {
  return {
    records: journal.records,
    keep: (changes) => journal.write(changes),
    publish: (changes) => channel.publish(changes),
    wasWritten: async () => (await channel.otherWriting()) !== undefined,
    strange: async () => {
      const writing = await channel.otherWriting();
      const strange = await strangeRecords(channel, journal.records);
      if (writing !== undefined) channel.acceptWriting(writing);
      return strange;
    },
    isOurs: async () => (await channel.state())?.instance === journal.records.get(instanceKey),
  };
}
