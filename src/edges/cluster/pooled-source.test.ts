import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import type { Source } from "../../core/sync/ports.ts";
import { canListen, pooledSource } from "./pooled-source.ts";

const still: Source = { snapshot: () => emptySnapshot, onChange: () => () => {} };

test("loopback addresses count as local, and those of a documentation network do not", async () => {
  expect(await canListen("127.0.0.1")).toBe(true);
  expect(await canListen("203.0.113.77")).toBe(false);
  expect(await canListen("not an address")).toBe(false);
});

test("an address that appears later is announced, and an unchanged one is not", async () => {
  const clock = new FakeClock();
  const local = new Set(["127.0.0.2"]);
  const stop = new AbortController();
  const options = { addresses: ["127.0.0.1", "127.0.0.2"], clock, isLocal: async (one: string) => local.has(one) };
  const source = pooledSource(still, options, stop.signal);
  await source.synced;
  expect(source.snapshot().localAddresses).toEqual(new Set(["127.0.0.2"]));
  expect(source.snapshot()).toBe(source.snapshot());
  let changes = 0;
  source.onChange(() => {
    changes += 1;
  });
  await clock.advance(31_000);
  expect(changes).toBe(0);
  local.add("127.0.0.1");
  await clock.advance(31_000);
  expect(changes).toBe(1);
  expect([...(source.snapshot().localAddresses ?? [])]).toEqual(["127.0.0.1", "127.0.0.2"]);
  stop.abort();
});

test("without a pool the source stays unchanged", () => {
  const options = { addresses: [], clock: new FakeClock() };
  expect(pooledSource(still, options, new AbortController().signal)).toBe(still);
});
