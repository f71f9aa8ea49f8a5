import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Paced, type Parts } from "./paced.ts";

/** Returns work in one part. */
const whole = <T>(work: () => T) =>
  function* (): Parts<T> {
    yield;
    return work();
  };

function started() {
  const clock = new FakeClock();
  const paced = new Paced(clock, 5_000);
  const ends: [number, string][] = [];
  /** Starts work that occupies the event loop for `ms`. */
  const ask = (name: string, ms: number) =>
    paced
      .run(
        whole(() => {
          clock.freeze(ms);
          ends.push([clock.now(), name]);
          return name;
        }),
      )
      .then((answer) => {
        if (answer === undefined) ends.push([clock.now(), `${name} came too late`]);
      });
  return { clock, ends, ask };
}

test("short work delays nothing, and after long work the same time is left to others", async () => {
  const { clock, ends, ask } = started();
  for (const name of ["a", "b"]) void ask(name, 5);
  await clock.advance(0);
  expect(ends).toEqual([
    [5, "a"],
    [10, "b"],
  ]);
  for (const name of ["c", "d"]) void ask(name, 1_000);
  await clock.advance(5_000);
  expect(ends.slice(2)).toEqual([
    [1_010, "c"],
    [3_010, "d"],
  ]);
});

test("work that waits too long is not begun, and an exception does not delay other work", async () => {
  const { clock, ends, ask } = started();
  for (const name of ["a", "b", "c", "d"]) void ask(name, 2_000);
  await clock.advance(20_000);
  expect(ends.map(([, name]) => name)).toEqual(["a", "b", "c came too late", "d came too late"]);
  const paced = new Paced(clock, 5_000);
  await expect(
    paced.run(
      whole(() => {
        throw new TypeError("broken");
      }),
    ),
  ).rejects.toThrow("broken");
  expect(await paced.run(whole(() => "next"))).toBe("next");
});

test("work in parts pauses after some milliseconds for the same time, and no other work runs between", async () => {
  const { clock } = started();
  const paced = new Paced(clock, 5_000);
  const parts: number[] = [];
  const done = paced.run(function* () {
    for (const ms of [4, 4, 4, 300, 1]) {
      clock.freeze(ms);
      parts.push(clock.now());
      yield;
    }
    return "answer";
  });
  void paced.run(whole(() => parts.push(-clock.now())));
  await clock.advance(2_000);
  expect(await done).toBe("answer");
  expect(parts).toEqual([4, 8, 12, 324, 625, -625]);
});
