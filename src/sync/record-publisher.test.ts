import { expect, test } from "vitest";
import type { PublishOutcome, RecordChange } from "./ports.ts";
import { Publication } from "./record-publisher.ts";

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

test("what was given while a reload was on is given again when it is over, once and as it was given", async () => {
  const { publication, given } = onto([]);
  await publication.publish([["host a", "1"]], true);
  publication.reloadBegins();
  await publication.publish([["host b", "1"]], true);
  publication.reloadBegins(); // another try, where nginx did not answer
  await publication.publish([["host c", undefined]], true);
  publication.reloadEnds(false);
  await publication.publish([["host c", "2"]], true);
  expect(given.at(-1)).toEqual([
    ["host b", "1"],
    ["host c", "2"],
  ]);
  await publication.publish([["host d", "1"]], true);
  publication.reloadEnds(false);
  await publication.publish([], true);
  expect(given.at(-1)).toEqual([["host d", "1"]]);
  publication.reloadBegins();
  const underWay = publication.publish([["host e", "1"]], true);
  await Promise.resolve(); // it has been sent
  publication.reloadEnds(false);
  await underWay;
  await publication.publish([], true);
  expect(given.slice(-2)).toEqual([[["host e", "1"]], [["host e", "1"]]]);
});

test("a nginx that was started has from the disk what waited before that, and is given what came since", async () => {
  const { publication, given } = onto([]);
  await publication.publish([["host a", "1"]], false);
  await publication.publish([["host b", "1"]], false);
  publication.reloadBegins();
  await publication.publish([["host b", "2"]], false);
  await publication.publish([["host c", "1"]], false);
  publication.reloadEnds(true);
  await publication.publish([], true);
  expect(given).toEqual([
    [
      ["host b", "2"],
      ["host c", "1"],
    ],
  ]);
});

test("one publication comes after the other", async () => {
  let [underWay, most] = [0, 0];
  const publish = async (): Promise<PublishOutcome> => {
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
    return { kind: "published" };
  };
  const publication = new Publication({ records: new Map(), keep: async () => {}, publish, isOurs: async () => true });
  const all = ["1", "2", "3"].map((value) => publication.publish([["host a", value]], true));
  expect((await Promise.all(all)).map(({ outcome }) => outcome)).toContain("published");
  expect(most).toBe(1);
});
