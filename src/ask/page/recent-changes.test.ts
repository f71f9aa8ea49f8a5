import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { ingress } from "../../../test/support/ingress.ts";
import { emptySnapshot, type Snapshot, withObjects } from "../../core/model/snapshot.ts";
import type { SyncReport } from "../../core/sync/ports.ts";
import { RecentChanges } from "./recent-changes.ts";

const times = { translateMs: 1, renderMs: 1, publishMs: 1 };
const data: SyncReport = { change: { kind: "data" }, records: { host: 1 }, ...times, tookMs: 12 };
const waiting: SyncReport = { ...data, change: { kind: "reload", why: ["a new shape"] } };
const reloaded: SyncReport = { ...waiting, reload: { kind: "reloaded", tookMs: 80, warnings: [] } };
const refused: SyncReport = {
  ...waiting,
  reload: { kind: "refused", stderr: "[emerg] no http://u:p@a/?t=1 \u202e\nmore of it" },
};

/** Returns a Snapshot in which the Ingress has this version. */
const having = (snapshot: Snapshot, name: string): Snapshot =>
  withObjects(snapshot, [{ kind: "Ingress", key: `shop/${name}`, object: ingress({ name, namespace: "shop" }) }]);

test("a change without a reload is live at once, and a turn without changes has no entry", () => {
  const changes = new RecentChanges(new FakeClock());
  const snapshot = having(emptySnapshot, "web");
  changes.synced(data, snapshot, "g1");
  changes.synced({ ...data, change: { kind: "none" }, records: {} }, having(snapshot, "idle"), "g1");
  expect(changes.newestFirst).toEqual([
    {
      at: "2026-01-01T00:00:00.000Z",
      objects: ["Ingress shop/web added"],
      more: 0,
      published: { host: 1 },
      outcome: "live",
      tookMs: 12,
    },
  ]);
  expect(changes.live).toMatchObject({ generation: "g1", since: "2026-01-01T00:00:00.000Z" });
  expect(changes.reloads).toEqual({ succeeded: 0, failed: 0, why: [] });
});

test("one reload makes all waiting changes live, each with its own time", async () => {
  const clock = new FakeClock();
  const changes = new RecentChanges(clock);
  const one = having(emptySnapshot, "one");
  const two = having(one, "two");
  changes.synced(waiting, one, undefined);
  await clock.advance(100);
  changes.synced({ ...waiting, tookMs: 2 }, two, undefined);
  expect(changes.newestFirst.map(({ outcome }) => outcome)).toEqual(["waiting", "waiting"]);
  expect(changes.live).toBeUndefined();
  await clock.advance(50);
  changes.synced(reloaded, two, "g2");
  expect(changes.newestFirst).toMatchObject([
    { objects: ["Ingress shop/two added"], outcome: "live", tookMs: 52, reload: { why: ["a new shape"], tookMs: 80 } },
    { objects: ["Ingress shop/one added"], outcome: "live", tookMs: 162 },
  ]);
  expect(changes.reloads).toEqual({ succeeded: 1, failed: 0, why: [{ reason: "a new shape", count: 1 }] });
});

test("a change that nginx refused stays refused, and one that could not be sent becomes live later", () => {
  const changes = new RecentChanges(new FakeClock());
  const one = having(emptySnapshot, "one");
  const two = having(one, "two");
  changes.synced(refused, one, "g1");
  changes.synced({ ...waiting, reload: { kind: "unreachable", cause: new Error("a full disk") } }, two, "g1");
  expect(changes.newestFirst.map(({ outcome, problem }) => [outcome, problem])).toEqual([
    ["failed", "a full disk"],
    ["refused", "[emerg] no http://…@a/?… \\u202e"],
  ]);
  changes.synced(reloaded, two, "g2");
  expect(changes.newestFirst.map(({ outcome, problem }) => [outcome, problem])).toEqual([
    ["live", undefined],
    ["refused", "[emerg] no http://…@a/?… \\u202e"],
  ]);
  expect(changes.reloads).toMatchObject({ succeeded: 1, failed: 2 });
});

test("the list keeps the last hundred changes", () => {
  const changes = new RecentChanges(new FakeClock());
  let snapshot = emptySnapshot;
  for (let at = 0; at < 130; at += 1) {
    snapshot = having(snapshot, `number-${at}`);
    changes.synced(data, snapshot, "g1");
  }
  const kept = changes.newestFirst.map(({ objects }) => objects[0]);
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([
    100,
    "Ingress shop/number-129 added",
    "Ingress shop/number-30 added",
  ]);
});
