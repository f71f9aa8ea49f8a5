import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { TokenBucket } from "../base/timing/token-bucket.ts";
import { perKey } from "./rate-limiter.ts";
import { type QueueEvent, WorkQueue } from "./work-queue.ts";
import { runWorkers } from "./workers.ts";

const setUp = () => {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue(clock) };
};

describe("WorkQueue", () => {
  test("a key waits once, however often it is added", async () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "a", "a"]) queue.add(key);
    expect(queue.length).toBe(2);
    expect([await queue.take(), await queue.take()]).toEqual(["a", "b"]);
  });

  test("a key that is added while a worker has it waits for that worker", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.take();
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(queue.length).toBe(1);
  });

  test("events report how long a key waited and how long a worker had it", async () => {
    const events: QueueEvent[] = [];
    const clock = new FakeClock();
    const queue = new WorkQueue(clock, { report: (event) => events.push(event) });
    for (const key of ["a", "b", "a"]) queue.add(key);
    await clock.advance(30);
    await queue.take();
    await clock.advance(12);
    queue.done("a");
    queue.addRateLimited("a");
    expect(events).toEqual([
      { kind: "added", depth: 1 },
      { kind: "added", depth: 2 },
      { kind: "taken", depth: 1, waitedMs: 30 },
      { kind: "done", tookMs: 12 },
      { kind: "retried" },
    ]);
  });

  test("a worker that waits gets the next key", async () => {
    const { queue } = setUp();
    const taken = queue.take();
    queue.add("a");
    expect(await taken).toBe("a");
    expect(queue.length).toBe(0);
  });

  test("where a key has two delays, the shorter counts, and the key is added once", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 100);
    queue.addAfter("a", 50);
    queue.addAfter("a", 200);
    await clock.advance(49);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await queue.take()).toBe("a");
    queue.done("a");
    await clock.advance(1_000);
    expect(queue.length).toBe(0);
  });

  test("each failure of a key doubles its wait from 5 ms, and forgetting it starts again", async () => {
    const { clock, queue } = setUp();
    const waited: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      if (i === 3) queue.forget("a");
      queue.addRateLimited("a");
      const from = clock.now();
      while (queue.length === 0) await clock.advance(1);
      waited.push(clock.now() - from);
      queue.done((await queue.take()) as string);
    }
    expect(waited).toEqual([5, 10, 20, 5]);
  });

  test("draining hands out waiting keys, drops delayed ones, and ends when the last worker is done", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    queue.addAfter("late", 10);
    const drained = queue.drain().then(() => "drained");
    queue.add("refused");
    expect(await queue.take()).toBe("a");
    expect(await Promise.race([drained, Promise.resolve("working")])).toBe("working");
    queue.done("a");
    expect(await drained).toBe("drained");
    expect(await queue.take()).toBeUndefined();
    expect(clock.waiting).toBe(0);
  });

  test("a worker that waits ends when the queue drains", async () => {
    const { queue } = setUp();
    const taken = queue.take();
    await queue.drain();
    expect(await taken).toBeUndefined();
  });
});

describe("rate limits", () => {
  test("the wait of a key stops growing at the ceiling", () => {
    const limiter = perKey({ floorMs: 5, ceilingMs: 1_000_000 });
    for (let i = 0; i < 30; i += 1) limiter.when("a");
    expect(limiter.when("a")).toBe(1_000_000);
    expect(limiter.retries("a")).toBe(31);
  });

  test("a bucket gives its burst at once and then one token in a tenth of a second", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, clock);
    expect([1, 2, 3, 4, 5].map(() => bucket.reserve())).toEqual([0, 0, 0, 100, 200]);
    await clock.advance(300);
    expect([bucket.take(), bucket.take()]).toEqual([true, false]);
  });
});

describe("runWorkers", () => {
  test("gives up a key after its last retry and reports the reason", async () => {
    const { clock, queue } = setUp();
    const stop = new AbortController();
    let tries = 0;
    const gaveUp: string[] = [];
    const reconcile = async () => {
      tries += 1;
      return { kind: "retry", why: "no luck" } as const;
    };
    const options = { maxRetries: 10, gaveUp: (key: string, why: string) => gaveUp.push(`${key}: ${why}`) };
    const ended = runWorkers(queue, reconcile, stop.signal, options);
    queue.add("a");
    await clock.advance(60_000);
    expect({ tries, gaveUp }).toEqual({ tries: 11, gaveUp: ["a: no luck"] });
    expect(queue.retries("a")).toBe(0);
    stop.abort();
    await ended;
  });

  test("lets five workers have five keys at a time", async () => {
    const { clock, queue } = setUp();
    const stop = new AbortController();
    const release = Promise.withResolvers<{ kind: "done" }>();
    const held: string[] = [];
    const reconcile = (key: string) => {
      held.push(key);
      return release.promise;
    };
    const ended = runWorkers(queue, reconcile, stop.signal, { workers: 5 });
    for (let i = 0; i < 8; i += 1) queue.add(`${i}`);
    await clock.advance(0);
    expect(held).toEqual(["0", "1", "2", "3", "4"]);
    release.resolve({ kind: "done" });
    stop.abort();
    await ended;
    expect(held).toHaveLength(8);
  });
});
