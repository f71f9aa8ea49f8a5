import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { Notices } from "./wake-ups.ts";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a turn answers all notices since the last one, and its time counts from the first", async () => {
  const clock = new FakeClock();
  const notices = new Notices(clock);
  notices.notice();
  await clock.advance(30);
  notices.notice();
  expect(notices.isQuiet).toBe(false);
  expect(notices.take()).toEqual({ sinceMs: 0, upTo: 2 });
  expect(notices.isQuiet).toBe(true);
  await clock.advance(20);
  notices.lookAgain();
  expect(notices.take()).toEqual({ sinceMs: 50, upTo: 2 });
});

test("whoever waits hears when the notices of that moment are dealt with, and not while a reload is on", async () => {
  const notices = new Notices(new FakeClock());
  const heard: string[] = [];
  notices.notice();
  void notices.settled().then(() => heard.push("first"));
  const { upTo } = notices.take();
  notices.notice();
  void notices.settled().then(() => heard.push("second"));
  notices.dealWith(upTo);
  notices.take();
  void notices.sleep(false);
  await tick();
  expect(heard).toEqual([]);
  void notices.sleep(true);
  await tick();
  expect(heard).toEqual(["first"]);
  notices.dealWith(2);
  void notices.sleep(true);
  await tick();
  expect(heard).toEqual(["first", "second"]);
});

test("a notice ends the sleep, and an end of the sync the waiting", async () => {
  const notices = new Notices(new FakeClock());
  let awake = false;
  void notices.sleep(true).then(() => (awake = true));
  await tick();
  expect(awake).toBe(false);
  notices.notice();
  await tick();
  expect(awake).toBe(true);
  const waiting = notices.settled();
  notices.fail(new Error("over"));
  await expect(waiting).rejects.toThrow("over");
});
