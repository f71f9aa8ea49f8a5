import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { StreamServer } from "../core/model/configuration.ts";
import { inTurn } from "./live-streams.ts";

function setUp() {
  const done: string[] = [];
  const taken = new Map<readonly StreamServer[], () => void>();
  const whenTaken = inTurn((streams) => new Promise((resolve) => void taken.set(streams, resolve)));
  const streams = (): readonly StreamServer[] => [{} as StreamServer];
  return {
    done,
    streams,
    say: (turn: string, of: readonly StreamServer[]) => whenTaken(of, () => done.push(turn)),
    take: async (of: readonly StreamServer[]) => {
      taken.get(of)?.();
      await setImmediate();
    },
  };
}

test("a turn is reported when nginx has its streams, even while later ones wait", async () => {
  const { done, say, take, streams } = setUp();
  const [one, two, three] = [streams(), streams(), streams()];
  say("first", one);
  say("second", two);
  say("third", three);
  expect(done).toEqual([]);
  await take(one);
  await take(two);
  expect(done).toEqual(["first", "second"]);
  await take(three);
  expect(done).toEqual(["first", "second", "third"]);
});

test("no older turn is reported after a later one, and of turns with the same streams only the last is", async () => {
  const { done, say, take, streams } = setUp();
  const [one, two] = [streams(), streams()];
  say("first", one);
  say("second", two);
  say("third", two);
  await take(two);
  await take(one);
  say("fourth", two);
  expect(done).toEqual(["third", "fourth"]);
});

test("a turn without streams is reported at once", async () => {
  const { done, say, take, streams } = setUp();
  const one = streams();
  say("first", one);
  say("second", []);
  await take(one);
  expect(done).toEqual(["second"]);
});
