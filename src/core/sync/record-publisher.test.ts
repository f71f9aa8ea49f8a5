import { expect, test } from "vitest";
import type { PublishOutcome, RecordChange } from "./ports.ts";
import { RecordPublisher } from "./record-publisher.ts";

function onto(outcomes: PublishOutcome[]) {
  const given: (readonly RecordChange[])[] = [];
  const publish = async (changes: readonly RecordChange[]): Promise<PublishOutcome> => {
    given.push(changes);
    return outcomes.shift() ?? { kind: "published" };
  };
  const memory = { records: new Map(), keep: async () => {}, publish, isOurs: async () => true };
  return { publisher: new RecordPublisher(memory), given };
}

test("records that could not be sent go with the next publication, in their newest form", async () => {
  const { publisher, given } = onto([{ kind: "full", memory: { capacityBytes: 1024, freeBytes: 0 } }]);
  expect(await publisher.publish([["host a", "1"]], true)).toEqual({ counts: {}, outcome: "full", grows: true });
  expect(publisher.pressure.problems("ns/settings")).toEqual([expect.objectContaining({ kind: "memory-full" })]);
  const next = await publisher.publish(
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
  expect(publisher.pressure.problems("ns/settings")).toEqual([]);
  expect(await publisher.publish([], true)).toEqual({ counts: {}, outcome: undefined, grows: false });
});

test("nothing is published while no nginx runs", async () => {
  const { publisher, given } = onto([]);
  await publisher.publish([["host a", "1"]], false);
  expect(given).toEqual([]);
  await publisher.publish([], true);
  expect(given).toEqual([[["host a", "1"]]]);
});

test("records that were published during a reload are published again after it, once and unchanged", async () => {
  const { publisher, given } = onto([]);
  await publisher.publish([["host a", "1"]], true);
  publisher.reloadBegins();
  await publisher.publish([["host b", "1"]], true);
  publisher.reloadBegins(); // Another try after nginx did not answer.
  await publisher.publish([["host c", undefined]], true);
  publisher.reloadEnds(false);
  await publisher.publish([["host c", "2"]], true);
  expect(given.at(-1)).toEqual([
    ["host b", "1"],
    ["host c", "2"],
  ]);
  await publisher.publish([["host d", "1"]], true);
  publisher.reloadEnds(false);
  await publisher.publish([], true);
  expect(given.at(-1)).toEqual([["host d", "1"]]);
  publisher.reloadBegins();
  const underWay = publisher.publish([["host e", "1"]], true);
  await Promise.resolve(); // The write is sent now.
  publisher.reloadEnds(false);
  await underWay;
  await publisher.publish([], true);
  expect(given.slice(-2)).toEqual([[["host e", "1"]], [["host e", "1"]]]);
});

test("an nginx that has just started has the pending records from the disk, and gets those that came later", async () => {
  const { publisher, given } = onto([]);
  await publisher.publish([["host a", "1"]], false);
  await publisher.publish([["host b", "1"]], false);
  publisher.reloadBegins();
  await publisher.publish([["host b", "2"]], false);
  await publisher.publish([["host c", "1"]], false);
  publisher.reloadEnds(true);
  await publisher.publish([], true);
  expect(given).toEqual([
    [
      ["host b", "2"],
      ["host c", "1"],
    ],
  ]);
});

test("publications run one after another", async () => {
  let [underWay, most] = [0, 0];
  const publish = async (): Promise<PublishOutcome> => {
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
    return { kind: "published" };
  };
  const publisher = new RecordPublisher({
    records: new Map(),
    keep: async () => {},
    publish,
    isOurs: async () => true,
  });
  const all = ["1", "2", "3"].map((value) => publisher.publish([["host a", value]], true));
  expect((await Promise.all(all)).map(({ outcome }) => outcome)).toContain("published");
  expect(most).toBe(1);
});
