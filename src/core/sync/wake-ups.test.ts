import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { WakeUps } from "./wake-ups.ts";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a turn answers all requests since the last one, and its time counts from the first of them", async () => {
  const clock = new FakeClock();
  const wakeUps = new WakeUps(clock);
  wakeUps.request();
  await clock.advance(30);
  wakeUps.request();
  expect(wakeUps.isQuiet).toBe(false);
  expect(wakeUps.take()).toEqual({ sinceMs: 0, upTo: 2 });
  expect(wakeUps.isQuiet).toBe(true);
  await clock.advance(20);
  wakeUps.lookAgain();
  expect(wakeUps.take()).toEqual({ sinceMs: 50, upTo: 2 });
});

test("a caller waits for the requests of its moment, and not for a reload", async () => {
  const wakeUps = new WakeUps(new FakeClock());
  const settled: string[] = [];
  wakeUps.request();
  void wakeUps.settled().then(() => settled.push("first"));
  const { upTo } = wakeUps.take();
  wakeUps.request();
  void wakeUps.settled().then(() => settled.push("second"));
  wakeUps.handled(upTo);
  wakeUps.take();
  void wakeUps.sleep(false);
  await tick();
  expect(settled).toEqual([]);
  void wakeUps.sleep(true);
  await tick();
  expect(settled).toEqual(["first"]);
  wakeUps.handled(2);
  void wakeUps.sleep(true);
  await tick();
  expect(settled).toEqual(["first", "second"]);
});

test("a request ends the pause, and the end of the sync ends the waiting", async () => {
  const wakeUps = new WakeUps(new FakeClock());
  let awake = false;
  void wakeUps.sleep(true).then(() => (awake = true));
  await tick();
  expect(awake).toBe(false);
  wakeUps.request();
  await tick();
  expect(awake).toBe(true);
  const waiting = wakeUps.settled();
  wakeUps.fail(new Error("over"));
  await expect(waiting).rejects.toThrow("over");
});
