import { expect, test } from "vitest";
import { MemoryRoom } from "./memory-pressure.ts";
import type { PublishOutcome } from "./ports.ts";

const settings = "ingress/settings";
const object = { kind: "ConfigMap", namespace: "ingress", name: "settings" };
const published = (freeBytes: number, capacityBytes = 800): PublishOutcome => ({
  kind: "published",
  room: { capacityBytes, freeBytes },
});
const full = (capacityBytes: number): PublishOutcome => ({ kind: "full", room: { capacityBytes, freeBytes: 0 } });

test("memory with an eighth free is left as it is, and with less it is to grow", () => {
  const room = new MemoryRoom();
  expect(room.take(published(100))).toBe(false);
  expect(room.problems(settings)).toEqual([]);
  expect(room.take(published(99))).toBe(true);
  expect(room.problems(settings)).toEqual([{ object, kind: "memory-short", bytes: 800 }]);
});

test("full memory is to grow, and is another problem than short memory", () => {
  const room = new MemoryRoom();
  expect(room.take(full(800))).toBe(true);
  expect(room.problems(settings)).toEqual([{ object, kind: "memory-full", bytes: 800 }]);
});

test("a size is asked to grow once, and the next size again", () => {
  const room = new MemoryRoom();
  expect([full(800), full(800), published(1)].map((outcome) => room.take(outcome))).toEqual([true, false, false]);
  expect(room.take(published(1, 1600))).toBe(true);
});

test("a problem goes when there is room again, or none is spoken of", () => {
  const room = new MemoryRoom();
  room.take(full(800));
  room.take(published(400, 1600));
  expect(room.problems(settings)).toEqual([]);
  room.take(full(1600));
  room.take({ kind: "published" });
  expect(room.problems(settings)).toEqual([]);
});

test("an nginx that cannot be reached says nothing about its memory", () => {
  const room = new MemoryRoom();
  room.take(full(800));
  expect(room.take({ kind: "unreachable", cause: new Error("no answer") })).toBe(false);
  expect(room.problems(settings)).toHaveLength(1);
});

test("another nginx has no problem yet; a size that did not grow is not asked to again", () => {
  const room = new MemoryRoom();
  room.take(full(800));
  room.forget();
  expect(room.problems(settings)).toEqual([]);
  expect(room.take(full(800))).toBe(false);
  expect(room.problems(settings)).toHaveLength(1);
});
