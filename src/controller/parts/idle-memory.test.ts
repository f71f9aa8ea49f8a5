import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { idleMemoryPart, ownHeap } from "./idle-memory.ts";

/** A heap that a garbage collection reduces to 100 bytes. */
function starting() {
  const clock = new FakeClock();
  const listeners = new Set<() => void>();
  const state = { isReady: true, bytes: 150, collected: 0, shrunk: 0 };
  const part = idleMemoryPart({
    source: {
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    clock,
    isReady: () => state.isReady,
    young: {
      shrink: () => {
        state.shrunk += 1;
      },
    },
    heap: {
      bytes: () => state.bytes,
      collect: () => {
        state.collected += 1;
        state.bytes = 100;
      },
    },
  });
  const change = () => {
    for (const listener of listeners) listener();
  };
  return { clock, listeners, state, part, change };
}

const never = new AbortController().signal;

test("the memory of the start is given back once, when nothing has changed for five seconds", async () => {
  const { clock, state, part, change } = starting();
  await part.start(never);
  for (let at = 0; at < 3; at++) {
    await clock.advance(4_000);
    change();
  }
  await clock.advance(4_999);
  expect(state.collected).toBe(0);
  await clock.advance(1);
  expect(state.collected).toBe(1);
  await clock.advance(60_000);
  expect(state.collected).toBe(1);
});

test("memory is given back again after changes that left the heap a third larger", async () => {
  const { clock, state, part, change } = starting();
  await part.start(never);
  await clock.advance(5_000);
  state.bytes = 129;
  change();
  await clock.advance(60_000);
  expect(state.collected).toBe(1);
  state.bytes = 130;
  change();
  await clock.advance(60_000);
  expect(state.collected).toBe(2);
});

test("memory is not given back before nginx serves, however long that takes", async () => {
  const { clock, state, part } = starting();
  state.isReady = false;
  await part.start(never);
  await clock.advance(60_000);
  expect([state.collected, state.shrunk]).toEqual([0, 0]);
  state.isReady = true;
  await clock.advance(5_000);
  expect([state.collected, state.shrunk]).toEqual([1, 1]);
});

test("after the part has stopped no timer waits", async () => {
  const { clock, listeners, state, part } = starting();
  const started = await part.start(never);
  await started[Symbol.asyncDispose]();
  expect([clock.waiting, listeners.size]).toEqual([0, 0]);
  await clock.advance(60_000);
  expect(state.collected).toBe(0);
});

test("one collection frees what nothing refers to any more", () => {
  const held: { list: unknown[] | undefined } = { list: Array.from({ length: 1_000_000 }, (_, at) => ({ at })) };
  ownHeap.collect();
  const before = ownHeap.bytes();
  held.list = undefined;
  ownHeap.collect();
  expect(before - ownHeap.bytes()).toBeGreaterThan(10 * 2 ** 20);
  expect(globalThis).not.toHaveProperty("gc");
});
