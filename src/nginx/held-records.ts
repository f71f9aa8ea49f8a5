/**
 * Compares nginx's shared memory with the records that the controller has written. nginx returns a
 * keyed digest for each of 256 parts of the keys, and the digests of single records only for a part
 * that differs. So ten thousand hosts cost a few kilobytes.
 */
import { createHmac, randomBytes } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Channel } from "./channel.ts";

const parts = 256;
const partsAtOnce = 8;

/**
 * Returns the keys of records that differ in nginx, are missing there, or were never written; none
 * if nginx does not answer.
 */
export async function strangeRecords(
  channel: Pick<Channel, "digests">,
  given: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const word = randomBytes(16).toString("hex");
  const held = await channel.digests(word);
  if (held?.length !== parts) return [];
  const byPart = keysByPart(given);
  const strange: string[] = [];
  for (const [part, keys] of byPart.entries()) {
    if (part % partsAtOnce === 0) await otherWork();
    const text = keys.sort().map((key) => textOf(key, given.get(key) ?? ""));
    if (held[part] !== digest(word, text.join(""))) strange.push(...(await strangeIn(channel, part, keys, given)));
  }
  return strange;
}

async function strangeIn(
  channel: Pick<Channel, "digests">,
  part: number,
  keys: readonly string[],
  given: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const word = randomBytes(16).toString("hex");
  const lines = await channel.digests(word, part);
  if (lines === undefined) return [];
  const held = new Map(lines.map((line) => [decoded(line.slice(line.indexOf(" ") + 1)), line.split(" ")[0]]));
  const other = [...held.keys()].filter((key) => !given.has(key));
  return [...other, ...keys.filter((key) => held.get(key) !== digest(word, textOf(key, given.get(key) ?? "")))];
}

function keysByPart(given: ReadonlyMap<string, string>): string[][] {
  const found: string[][] = Array.from({ length: parts }, () => []);
  for (const key of given.keys()) found[crc32(key) % parts]!.push(key);
  return found;
}

/** Returns a record in the form in which digest.lua describes it. */
const textOf = (key: string, value: string): string =>
  `${Buffer.byteLength(key)}:${key}${Buffer.byteLength(value)}:${value}`;

const digest = (word: string, text: string): string => createHmac("sha1", word).update(text).digest("base64");

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
