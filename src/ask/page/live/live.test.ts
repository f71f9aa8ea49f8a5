import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { Live, type Marks } from "./live.ts";

const marks = (routes: unknown = 0): Marks => ({
  overview: [0],
  routes: [routes],
  problems: [0],
  certificates: [0],
  gateways: [0],
  shadow: [0],
});

/** A response that records what is written to it. */
class Listener extends EventEmitter {
  readonly written: string[] = [];
  writableNeedDrain = false;
  writableEnded = false;
  /** False for a socket that is stuck: `end` does not close it. */
  finishes = true;
  write(text: string) {
    this.written.push(text);
  }
  end() {
    this.writableEnded = true;
    if (this.finishes) this.emit("close");
  }
  destroy() {
    this.emit("close");
  }
  get events() {
    return this.written.flatMap((text) => /^event: (\w+)\ndata: (.*)\n\n$/.exec(text)?.slice(1).join(" ") ?? []);
  }
  get response() {
    return this as unknown as ServerResponse;
  }
}

function started() {
  const clock = new FakeClock();
  const watched: boolean[] = [];
  let now = marks();
  let change = () => {};
  const live = new Live({
    clock,
    marks: () => now,
    traffic: () => null,
    onChange: (listener) => {
      change = listener;
      return () => {
        change = () => {};
      };
    },
    watched: (is) => watched.push(is),
  });
  const changed = (next: Marks) => {
    now = next;
    change();
  };
  return { clock, watched, live, changed };
}

const routesChanged = 'changed {"views":["routes"]}';
const traffic = 'traffic {"traffic":null}';

test("many changes are one event a second, which names the views that would differ", async () => {
  const { clock, live, changed } = started();
  const listener = new Listener();
  live.listen(listener.response);
  for (let at = 1; at <= 10; at++) changed(marks(at));
  await clock.advance(1_000);
  expect(listener.events).toEqual([routesChanged]);
  changed(marks(10));
  await clock.advance(1_000);
  expect(listener.events).toEqual([routesChanged]);
});

test("figures of requests are sent every five seconds", async () => {
  const { clock, live } = started();
  const listener = new Listener();
  live.listen(listener.response);
  await clock.advance(15_000);
  expect(listener.events).toEqual([traffic, traffic, traffic]);
});

test("the more the answers cost, the longer the pause before the next event", async () => {
  const { clock, live, changed } = started();
  const listener = new Listener();
  live.listen(listener.response);
  live.spent(40);
  changed(marks(1));
  await clock.advance(7_999);
  expect(listener.events).toEqual([]);
  await clock.advance(1);
  expect(listener.events).toEqual([routesChanged, traffic]);
});

test("timers run only from the first listener until some seconds after the last one", async () => {
  const { clock, live, changed, watched } = started();
  changed(marks(1));
  expect(clock.waiting).toBe(0);
  const [one, other] = [new Listener(), new Listener()];
  live.listen(one.response);
  live.listen(other.response);
  expect(clock.waiting).toBe(1);
  one.end();
  other.end();
  changed(marks(2));
  await clock.advance(4_999);
  expect(watched).toEqual([true]);
  await clock.advance(1);
  expect([clock.waiting, ...watched]).toEqual([0, true, false]);
});

test("a page that is reloaded gets its figures and the changes since then", async () => {
  const { clock, live, changed, watched } = started();
  const [one, again] = [new Listener(), new Listener()];
  live.listen(one.response);
  one.end();
  changed(marks(1));
  await clock.advance(1_000);
  live.listen(again.response);
  await clock.advance(10_000);
  expect([again.events, watched]).toEqual([[routesChanged, traffic, traffic], [true]]);
  live.close();
  expect([clock.waiting, ...watched]).toEqual([0, true, false]);
});

test("a browser that does not read is disconnected, and the number of listeners is limited", async () => {
  const { clock, live, changed } = started();
  const slow = new Listener();
  slow.writableNeedDrain = true;
  live.listen(slow.response);
  changed(marks(1));
  await clock.advance(6_000);
  expect([slow.events, clock.waiting]).toEqual([[], 0]);
  for (let at = 0; at < 20; at++) {
    expect(live.whyFull).toBeUndefined();
    live.listen(new Listener().response);
  }
  expect(live.whyFull).toBe("20 pages listen already; close some, or ask without events");
});

test("a stream ends after an hour, so that a browser that no longer reads makes room", async () => {
  const { clock, live } = started();
  const [alive, stuck] = [new Listener(), new Listener()];
  stuck.finishes = false;
  live.listen(alive.response);
  live.listen(stuck.response);
  await clock.advance(3_590_000);
  expect([alive.writableEnded, stuck.writableEnded]).toEqual([false, false]);
  await clock.advance(20_000);
  expect([alive.writableEnded, stuck.writableEnded]).toEqual([true, true]);
  expect(clock.waiting).toBe(0);
});
