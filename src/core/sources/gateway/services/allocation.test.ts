import { expect, test } from "vitest";
import { allocate, type PortNeed, type Question, restMs } from "./allocation.ts";
import { emptyRecord, type PortEntry, type PortRecord, readRecord, recordData, targetsIn } from "./record.ts";

const allowed = [20_000, 20_001, 20_002];
const need = (uid: string, more: Partial<PortNeed> = {}): PortNeed => ({
  uid,
  service: `ns/${uid}`,
  port: 80,
  protocol: "TCP",
  named: undefined,
  ...more,
});
const ask = (question: Partial<Question>) =>
  allocate({ record: emptyRecord, needs: [], allowed, isHeld: () => false, nowMs: 0, ...question });
const owners = ({ entries }: PortRecord) =>
  Object.fromEntries([...entries].map(([port, entry]) => [port, entry.kind === "used" ? entry.use.uid : "freed"]));
const freed = (atMs: number): PortEntry => ({ kind: "freed", atMs });

test("each Gateway gets the lowest ports, and keeps them when others are added and removed", () => {
  const { record } = ask({ needs: [need("a"), need("b")] });
  expect(owners(record)).toEqual({ 20000: "a", 20001: "b" });
  const next = ask({ record, needs: [need("c"), need("b")] });
  expect(owners(next.record)).toEqual({ 20000: "freed", 20001: "b", 20002: "c" });
});

test("a released port is used last, the one released first before others, and not before ten minutes", () => {
  const record = {
    entries: new Map([20_000, 20_001].map((port, at) => [port, freed(1_000 - at)])),
    isExhausted: false,
  };
  expect(owners(ask({ record, needs: [need("a")], nowMs: 10 * restMs }).record)[20_002]).toBe("a");
  const two = [need("a"), need("b")];
  const early = ask({ record, needs: two, nowMs: 999 + restMs - 1 });
  expect(owners(early.record)).toEqual({ 20000: "freed", 20001: "freed", 20002: "a" });
  expect(early.record.isExhausted).toBe(true);
  expect(early.waitMs).toBe(1);
  const later = ask({ record: early.record, needs: two, nowMs: 999 + restMs });
  expect(owners(later.record)).toEqual({ 20000: "freed", 20001: "b", 20002: "a" });
  expect(later.record.isExhausted).toBe(false);
});

test("a port is not released while something may still lead to it", () => {
  const { record } = ask({ needs: [need("a")] });
  expect(owners(ask({ record, isHeld: () => true }).record)).toEqual({ 20000: "a" });
  expect(ask({ record, isHeld: () => true, needs: [need("b", { named: 20_000 })] }).moved).toHaveLength(1);
});

test("without a record the Services have their ports, and of two that name one the older Gateway keeps it", () => {
  const needs = [need("new"), need("old", { named: 20_001 }), need("young", { named: 20_001 })];
  const { record, moved } = ask({ needs });
  expect(owners(record)).toEqual({ 20000: "new", 20001: "old", 20002: "young" });
  expect(moved).toEqual([{ need: needs[2], to: 20_002 }]);
});

test("no record gives a Gateway another one's port, a retired port, or one of Sluice's own", () => {
  const { record } = ask({ needs: [need("victim")] });
  const resting = { ...record, entries: new Map([...record.entries, [20_001, freed(0)]] as const) };
  for (const named of [20_000, 20_001, 80, 10_254, 65_536]) {
    const needs = [need("thief", { named }), need("victim", { named: 20_000 })];
    const next = ask({ record: resting, needs, nowMs: 1 });
    expect(owners(next.record)).toEqual({ 20000: "victim", 20001: "freed", 20002: "thief" });
    expect(next.moved.map(({ to }) => to)).toEqual([20_002]);
  }
});

test("ports that the flags no longer contain are released, and others replace them", () => {
  const { record } = ask({ needs: [need("a")] });
  expect(owners(ask({ record, needs: [need("a")], allowed: [30_000] }).record)).toEqual({ 30000: "a" });
  expect(targetsIn(record, [30_000]).get("a")).toBeUndefined();
});

test("a record is read back from its text, and malformed lines count as absent", () => {
  const needs = [need("a"), need("a", { port: 53, protocol: "UDP" })];
  const { record } = ask({ record: { entries: new Map([[20_002, freed(60_000)]]), isExhausted: true }, needs });
  const data = recordData({ ...record, isExhausted: true });
  expect(data).toEqual({
    "20000": "used ns/a 80/TCP a",
    "20001": "used ns/a 53/UDP a",
    "20002": "freed 1970-01-01T00:01:00.000Z",
    exhausted: "true",
  });
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "r" }, data } as const;
  expect(readRecord(configMap)).toEqual({ ...record, isExhausted: true });
  const strange = { ...configMap, data: { ...data, "20000": "used by me", "20003": "freed soon", x: "used" } };
  expect([...readRecord(strange).entries.keys()]).toEqual([20_001, 20_002]);
  expect(targetsIn(record, allowed).get("a")).toEqual({ "80/TCP": 20_000, "53/UDP": 20_001 });
});
