import { expect, test } from "vitest";
import { CoalescedRuns } from "./coalescing.ts";

const never = new AbortController().signal;
const ready = async (): Promise<void> => {};

test("requests that come during a run are merged into the newest", async () => {
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const runs = new CoalescedRuns(ready, async (work: string) => {
    if (work === "a") await first.promise;
    done.push(work);
    return work.toUpperCase();
  });
  const a = runs.ask("a", never);
  await Promise.resolve().then(() => {});
  const later = ["b", "c", "d"].map((work) => runs.ask(work, never));
  first.resolve();
  expect(await Promise.all([a, ...later])).toEqual(["A", "D", "D", "D"]);
  expect(done).toEqual(["a", "d"]);
});

test("a newer request replaces one that still waits for its turn", async () => {
  const open = Promise.withResolvers<void>();
  const runs = new CoalescedRuns(
    () => open.promise,
    async (work: string) => work,
  );
  const [one, two] = [runs.ask("one", never), runs.ask("two", never)];
  open.resolve();
  expect([await one, await two]).toEqual(["two", "two"]);
});

test("an error of a run reaches its callers, and the next run goes on", async () => {
  const runs = new CoalescedRuns(ready, async (work: string) => {
    if (work === "bad") throw new Error("broken");
    return work;
  });
  await expect(runs.ask("bad", never)).rejects.toThrow("broken");
  expect(await runs.ask("good", never)).toBe("good");
});

test("idle resolves when the run in progress has ended", async () => {
  const finish = Promise.withResolvers<string>();
  const runs = new CoalescedRuns(ready, () => finish.promise);
  const outcome = runs.ask("a", never);
  let idle = false;
  const waiting = runs.idle().then(() => {
    idle = true;
  });
  await Promise.resolve();
  expect(idle).toBe(false);
  finish.resolve("done");
  await waiting;
  expect(await outcome).toBe("done");
});
