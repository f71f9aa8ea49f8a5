import { expect, test } from "vitest";
import type { PublishOutcome, RecordChange } from "./ports.ts";
import { Publication } from "./publication.ts";

function onto(outcomes: PublishOutcome[]) {
  const given: (readonly RecordChange[])[] = [];
  const publish = async (changes: readonly RecordChange[]): Promise<PublishOutcome> => {
    given.push(changes);
    return outcomes.shift() ?? { kind: "published" };
  };
  const memory = { records: new Map(), keep: async () => {}, publish, isOurs: async () => true };
  return { publication: new Publication(memory), given };
}

test("what nginx could not be given goes with the next, in its newest form", async () => {
  const { publication, given } = onto([{ kind: "full", room: { capacityBytes: 1024, freeBytes: 0 } }]);
  expect(await publication.publish([["host a", "1"]], true)).toEqual({ counts: {}, outcome: "full", grows: true });
  expect(publication.room.problems("ns/settings")).toEqual([expect.objectContaining({ kind: "memory-full" })]);
  const next = await publication.publish(
    [
      ["host a", "2"],
      ["before host a", "[1]"],
      ["upstream u", undefined],
    ],
    true,
  );
  expect(given.at(-1)).toEqual([
    ["host a", "2"],
    ["before host a", "[1]"],
    ["upstream u", undefined],
  ]);
  expect(next).toEqual({ counts: { host: 1, upstream: 1 }, outcome: "published", grows: false });
  expect(publication.room.problems("ns/settings")).toEqual([]);
  expect(await publication.publish([], true)).toEqual({ counts: {}, outcome: undefined, grows: false });
});

test("nothing is given while no nginx runs", async () => {
  const { publication, given } = onto([]);
  await publication.publish([["host a", "1"]], false);
  expect(given).toEqual([]);
  await publication.publish([], true);
  expect(given).toEqual([[["host a", "1"]]]);
});

test("what was published while a reload was on is named when it is over, once", async () => {
  const { publication } = onto([]);
  await publication.publish([["host a", "1"]], true);
  publication.reloadBegins();
  await publication.publish([["host b", "1"]], true);
  publication.reloadBegins(); // another try, where nginx did not answer
  const underWay = publication.publish([["host c", undefined]], true);
  expect(publication.reloadEnds()).toEqual(["host b", "host c"]);
  await underWay;
  await publication.publish([["host d", "1"]], true);
  expect(publication.reloadEnds()).toEqual([]);
});
