import { expect, test } from "vitest";
import type { ChangedRecord } from "../render/rendering.ts";
import { RouteHandover } from "./route-handover.ts";

const route = (value: string, ...shapes: string[]) => new Map([["host a", { value, shapes }]]);
const running = (...shapes: string[]) => ({ running: new Set(shapes), coming: undefined, older: [] });
const handover = (records: Record<string, string> = {}) => new RouteHandover(new Map(Object.entries(records)));

test("a route that the running text can serve is replaced at once", () => {
  const it = handover();
  expect(it.take(route('"new"', "@1"), new Map([["host a", '"old"']]), running("@1"), 0)).toEqual([
    ["host a", '"new"'],
  ]);
  expect(it.isPending).toBe(false);
});

test("a route that the running text cannot serve is written beside the replaced one, which is removed when the next text runs", () => {
  const it = handover();
  expect(it.take(route('"new"', "@2"), new Map([["host a", '"old"']]), running("@1"), 0)).toEqual([
    ["before host a", '["old"]'],
    ["host a", '"new"'],
  ]);
  expect(it.forget()).toEqual([]);
  it.take(new Map(), new Map(), running("@2"), 0);
  expect(it.forget()).toEqual([["before host a", undefined]]);
  expect(it.isPending).toBe(false);
});

test("a new host has no route to keep", () => {
  const [replaced] = handover().take(route('"new"', "@2"), new Map(), running("@1"), 0);
  expect(replaced).toEqual(["before host a", "[false]"]);
});

test("a version that no text can serve is not kept, and one that the coming text can serve is kept", () => {
  const it = handover();
  it.take(route('"b"', "@b"), new Map([["host a", '"a"']]), running("@a"), 0);
  const skipped = it.take(route('"c"', "@c"), new Map([["host a", '"b"']]), running("@a"), 0);
  expect(skipped).toEqual([["host a", '"c"']]);
  const coming = { running: new Set(["@a"]), coming: new Set(["@c"]), older: [] };
  expect(it.take(route('"d"', "@d"), new Map([["host a", '"c"']]), coming, 0)[0]).toEqual([
    "before host a",
    '["c","a"]',
  ]);
});

test("the version that the coming text can serve is kept, however often the route changes", () => {
  const it = handover();
  const coming = { running: new Set(["@a", "@c"]), coming: new Set(["@b"]), older: [] };
  const kept = (record: string, shape: string, current: string) =>
    it.take(route(record, shape), new Map([["host a", current]]), coming, 0)[0];
  it.take(route('"b"', "@b"), new Map([["host a", '"a"']]), running("@a", "@c"), 0);
  expect(kept('"c1"', "@c", '"b"')).toEqual(["before host a", '["b","a"]']);
  expect(kept('"c2"', "@c", '"c1"')).toEqual(["before host a", '["c1","b"]']);
  expect(kept('"c3"', "@c", '"c2"')).toEqual(["before host a", '["c2","b"]']);
  expect(kept('"d"', "@d", '"c3"')).toEqual(["before host a", '["c3","b"]']);
});

test("a route that changes back while a text is applied is kept for both texts", () => {
  const it = handover();
  it.take(route('"b"', "@b"), new Map([["host a", '"a"']]), running("@a"), 0);
  const coming = { running: new Set(["@a"]), coming: new Set(["@b"]), older: [] };
  expect(it.take(route('"a"', "@a"), new Map([["host a", '"b"']]), coming, 0)).toEqual([
    ["before host a", '["b","a"]'],
    ["host a", '"a"'],
  ]);
});

test("a route keeps its replaced version while older workers lack its shape, although the running text has it", () => {
  const it = handover();
  const older = [new Set(["@1"])];
  const around = { running: new Set(["@1", "@2"]), coming: undefined, older };
  expect(it.take(route('"b"', "@2"), new Map([["host a", '"a"']]), around, 0)[0]).toEqual(["before host a", '["a"]']);
  const next = { running: new Set(["@2"]), coming: undefined, older };
  expect(it.take(route('"c"', "@3"), new Map([["host a", '"b"']]), next, 0)[0]).toEqual(["before host a", '["b","a"]']);
  it.take(new Map(), new Map(), running("@3"), 0);
  expect(it.forget()).toEqual([["before host a", undefined]]);
});

test("an upstream that a replaced route may name stays until the route is replaced everywhere", () => {
  const it = handover();
  const gone: ChangedRecord = { value: undefined, shapes: [] };
  const changed = new Map<string, ChangedRecord>([...route('"new"', "@2"), ["upstream x", gone]]);
  expect(it.take(changed, new Map(), running("@1"), 0)).not.toContainEqual(["upstream x", undefined]);
  expect(it.take(new Map(), new Map(), running("@2"), 300_000)).toEqual([["upstream x", undefined]]);
});

test("records that are found by a value of the client are removed at once", () => {
  const gone: ChangedRecord = { value: undefined, shapes: [] };
  const changed = new Map([
    ["patterns", gone],
    ["sni a.example", gone],
  ]);
  const it = handover();
  it.take(route('"new"', "@2"), new Map(), running("@1"), 0);
  expect(it.take(changed, new Map(), running("@1"), 0)).toEqual([
    ["patterns", undefined],
    ["sni a.example", undefined],
  ]);
});

test("an upstream that a running request may look up again stays for some minutes, unless it is used again", () => {
  const it = handover();
  const gone: ChangedRecord = { value: undefined, shapes: [] };
  const here: ChangedRecord = { value: '"again"', shapes: [] };
  const both = new Map([
    ["upstream x", gone],
    ["upstream y", gone],
  ]);
  expect(it.take(both, new Map(), running(), 0)).toEqual([]);
  expect(it.isPending).toBe(true);
  expect(it.take(new Map([["upstream y", here]]), new Map(), running(), 1000)).toEqual([["upstream y", '"again"']]);
  expect(it.take(new Map(), new Map(), running(), 239_999)).toEqual([]);
  expect(it.take(new Map(), new Map(), running(), 240_000)).toEqual([["upstream x", undefined]]);
  expect(it.isPending).toBe(false);
});

test("replaced routes of an earlier process stay until a known text runs", () => {
  const it = handover({ "before host a": '[{"old":1},false]', "host a": '"new"' });
  const unknown = { running: undefined, coming: undefined, older: [] };
  expect(it.take(new Map(), new Map(), unknown, 0)).toEqual([]);
  expect(it.forget()).toEqual([]);
  expect(it.take(route('"newer"', "@3"), new Map([["host a", '"new"']]), unknown, 0)[0]).toEqual([
    "before host a",
    '["new",{"old":1},false]',
  ]);
  it.take(new Map(), new Map(), running("@3"), 0);
  expect(it.forget()).toEqual([["before host a", undefined]]);
});

test("nothing is kept where no nginx runs", () => {
  const it = handover();
  expect(it.take(route('"new"', "@2"), new Map([["host a", '"old"']]), undefined, 0)).toEqual([["host a", '"new"']]);
  expect(it.isPending).toBe(false);
});

test("a host that moves to another record stays at its former one until the running text serves the new one", () => {
  const it = handover();
  const current = new Map([["host a", '"ingress"']]);
  const gone: ChangedRecord = { value: undefined, shapes: [] };
  const moved = new Map([
    ["host a", gone],
    ["host gw/http a", { value: '"route"', shapes: ["@2"] }],
  ]);
  expect(it.take(moved, current, running("@1"), 0)).toEqual([
    ["before host gw/http a", "[false]"],
    ["host gw/http a", '"route"'],
  ]);
  expect(it.isPending).toBe(true);
  expect(it.take(new Map(), current, running("@1", "@2"), 0)).toEqual([["host a", undefined]]);
});

test("two records of a host that go together are removed at once", () => {
  const it = handover();
  const current = new Map([
    ["host a", '"ingress"'],
    ["host gw/http a", '"route"'],
  ]);
  it.take(new Map([["host gw/http a", { value: '"other"', shapes: ["@2"] }]]), current, running("@1"), 0);
  const gone: ChangedRecord = { value: undefined, shapes: [] };
  const removed = it.take(new Map([...current.keys()].map((key) => [key, gone])), current, running("@1"), 0);
  expect(removed.map(([key]) => key)).toEqual(["host a", "host gw/http a"]);
});

test("a host that is no longer a server block is served as before until the block is gone", () => {
  const it = handover();
  const changes = it.take(route('"data"', "@1"), new Map([["host a", '"text"']]), running("@1", "a@2"), 0);
  expect(changes).toEqual([
    ["before host a", '["text"]'],
    ["host a", '"data"'],
  ]);
});
