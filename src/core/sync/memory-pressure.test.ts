import { expect, test } from "vitest";
import type { PublishOutcome } from "./ports.ts";
import { MemoryPressure } from "./record-publisher.ts";

const settings = "ingress/settings";
const object = { kind: "ConfigMap", namespace: "ingress", name: "settings" };
const published = (freeBytes: number, capacityBytes = 800): PublishOutcome => ({
  kind: "published",
  memory: { capacityBytes, freeBytes },
});
const full = (capacityBytes: number): PublishOutcome => ({ kind: "full", memory: { capacityBytes, freeBytes: 0 } });

test("memory with an eighth free keeps its size, and with less it must grow", () => {
  const pressure = new MemoryPressure();
  expect(pressure.take(published(100))).toBe(false);
  expect(pressure.problems(settings)).toEqual([]);
  expect(pressure.take(published(99))).toBe(true);
  expect(pressure.problems(settings)).toEqual([{ object, kind: "memory-short", bytes: 800 }]);
});

test("full memory must grow, and its Problem differs from that of short memory", () => {
  const pressure = new MemoryPressure();
  expect(pressure.take(full(800))).toBe(true);
  expect(pressure.problems(settings)).toEqual([{ object, kind: "memory-full", bytes: 800 }]);
});

test("memory doubles each time that it has to grow", () => {
  const pressure = new MemoryPressure();
  expect(pressure.factor).toBe(1);
  for (const size of [800, 800, 1600]) pressure.take(full(size));
  expect(pressure.factor).toBe(4);
});

test("memory is asked to grow once for each size", () => {
  const pressure = new MemoryPressure();
  expect([full(800), full(800), published(1)].map((outcome) => pressure.take(outcome))).toEqual([true, false, false]);
  expect(pressure.take(published(1, 1600))).toBe(true);
});

test("a Problem about memory ends when memory is free again, or when nginx reports none", () => {
  const pressure = new MemoryPressure();
  pressure.take(full(800));
  pressure.take(published(400, 1600));
  expect(pressure.problems(settings)).toEqual([]);
  pressure.take(full(1600));
  pressure.take({ kind: "published" });
  expect(pressure.problems(settings)).toEqual([]);
});

test("an nginx that cannot be reached changes nothing about the memory", () => {
  const pressure = new MemoryPressure();
  pressure.take(full(800));
  expect(pressure.take({ kind: "unreachable", cause: new Error("no answer") })).toBe(false);
  expect(pressure.problems(settings)).toHaveLength(1);
});

test("another nginx has no Problem yet, and memory that did not grow is not asked to grow again", () => {
  const pressure = new MemoryPressure();
  pressure.take(full(800));
  pressure.forget();
  expect(pressure.problems(settings)).toEqual([]);
  expect(pressure.take(full(800))).toBe(false);
  expect(pressure.problems(settings)).toHaveLength(1);
});
