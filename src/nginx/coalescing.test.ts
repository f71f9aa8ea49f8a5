import { expect, test } from "vitest";
import { Turns } from "./coalescing.ts";

const never = new AbortController().signal;
const ready = async (): Promise<void> => {};

test("those that come while one runs are merged into the newest", async () => {
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const turns = new Turns(ready, async (work: string) => {
    if (work === "a") await first.promise;
    done.push(work);
    return work.toUpperCase();
  });
  const a = turns.take("a", never);
  await Promise.resolve().then(() => {});
  const later = ["b", "c", "d"].map((work) => turns.take(work, never));
  first.resolve();
  expect(await Promise.all([a, ...later])).toEqual(["A", "D", "D", "D"]);
  expect(done).toEqual(["a", "d"]);
});

test("while it waits to be ready, a newer one takes its place", async () => {
  const open = Promise.withResolvers<void>();
  const turns = new Turns(
    () => open.promise,
    async (work: string) => work,
  );
  const [one, two] = [turns.take("one", never), turns.take("two", never)];
  open.resolve();
  expect([await one, await two]).toEqual(["two", "two"]);
});

test("a turn that throws is thrown to those who wait for it, and the next goes on", async () => {
  const turns = new Turns(ready, async (work: string) => {
    if (work === "bad") throw new Error("broken");
    return work;
  });
  await expect(turns.take("bad", never)).rejects.toThrow("broken");
  expect(await turns.take("good", never)).toBe("good");
});

test("idle waits for what is under way", async () => {
  const finish = Promise.withResolvers<string>();
  const turns = new Turns(ready, () => finish.promise);
  const outcome = turns.take("a", never);
  let idle = false;
  const waiting = turns.idle().then(() => {
    idle = true;
  });
  await Promise.resolve();
  expect(idle).toBe(false);
  finish.resolve("done");
  await waiting;
  expect(await outcome).toBe("done");
});
