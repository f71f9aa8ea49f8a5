import { setImmediate as otherWork } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { callback, inBackground, later, repeat, reportCallbacks, soon } from "./callbacks.ts";

const reported: (readonly [string, string | undefined])[] = [];
beforeEach(() => {
  reported.splice(0);
  reportCallbacks((what, failure) => reported.push([what, failure?.message]));
});
afterEach(() => void vi.useRealTimers());

const fails = (why: string) => () => {
  throw new Error(why);
};

test("a failure of a callback is reported once and reaches nothing else, also if it comes later", async () => {
  const called = callback("the first", fails("EROFS"));
  for (let time = 0; time < 3; time++) called();
  callback("the first", fails("ENOSPC"))();
  callback("the second", async () => fails("EIO")())();
  inBackground("the third", Promise.reject(new Error("EIO")));
  soon("the fourth", fails("EIO"));
  await otherWork();
  await otherWork();
  expect(reported).toEqual([
    ["the first", "EROFS"],
    ["the first", "ENOSPC"],
    ["the second", "EIO"],
    ["the third", "EIO"],
    ["the fourth", "EIO"],
  ]);
});

test("a timer that fails is tried at its next interval, and its success is reported once", async () => {
  vi.useFakeTimers();
  let calls = 0;
  const timer = repeat("the timer", 10, async () => {
    calls++;
    if (calls < 4) fails("EROFS")();
  });
  later("the other", 5, fails("EIO"));
  await vi.advanceTimersByTimeAsync(60);
  clearInterval(timer);
  expect(calls).toBe(6);
  expect(reported).toEqual([
    ["the other", "EIO"],
    ["the timer", "EROFS"],
    ["the timer", undefined],
  ]);
});
