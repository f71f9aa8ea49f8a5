import { expect, onTestFinished, test } from "vitest";
import { TokenBucket } from "../../base/timing/token-bucket.ts";
import { fakeCertificate } from "../certificates/fake.ts";
import { sentence } from "../model/problem.ts";
import { emptySnapshot } from "../model/snapshot.ts";
import type { ChangedRecord, RenderedText } from "../render/rendering.ts";
import { emptyLastGood } from "../table/last-good.ts";
import { defaultOptions } from "../table/options.ts";
import { emptyQuarantine } from "../table/quarantine.ts";
import { Translator } from "../table/translator.ts";
import type { PublishOutcome, RecordChange, Renders } from "./ports.ts";
import { Sync } from "./sync.ts";

const fake = await fakeCertificate(new Date("2026-01-01"));
const text = (generation: string, ...shapes: string[]): RenderedText => {
  const parts = { "shared memory size": String(16 * 1024 * 1024) };
  return { conf: generation, generation, files: [], shapes: new Set(shapes), parts, ownersAt: () => new Set<string>() };
};
type Turn = readonly [text: RenderedText, records: Readonly<Record<string, ChangedRecord>>];

/**
 * Runs a Sync whose renderer returns the next of `turns` when the test requests it. `publish`
 * decides whether memory has room.
 */
async function running(turns: readonly Turn[], publish: (changes: readonly RecordChange[]) => PublishOutcome) {
  const reports: string[] = [];
  const records = new Map<string, string>();
  let [at, given, factor] = [0, -1, 1];
  const renderer: Renders = {
    render: (_next, { memoryFactor }) => {
      factor = memoryFactor;
      const [text, changed] = turns[at]!;
      const news = given === at ? [] : Object.entries(changed);
      given = at;
      return { text, records: new Map(news), opened: [], bugs: new Map() };
    },
  };
  let problems: string[] = [];
  const later: (() => void)[] = [];
  const sync = new Sync({
    source: { snapshot: () => emptySnapshot, onChange: () => () => {} },
    translator: new Translator(defaultOptions, fake),
    renderer,
    memory: {
      records,
      keep: async (changes) => {
        for (const [key, value] of changes) value === undefined ? records.delete(key) : records.set(key, value);
      },
      publish: async (changes) => {
        const outcome = publish(changes);
        reports.push(`${outcome.kind} ${changes.map(([key]) => key).join(", ")}`);
        return outcome;
      },
      isOurs: async () => at > 0,
    },
    nginx: {
      apply: async ({ generation }) => {
        reports.push(`reload ${generation}`);
        return { kind: "reloaded", tookMs: 1, warnings: [] };
      },
      keepOpened: async () => {},
      hasOlderWorkers: () => false,
    },
    bucket: new TokenBucket({ perSecond: 1000, burst: 1000 }, { now: () => 0 }),
    clock: {
      now: () => 0,
      wall: () => Date.UTC(2026, 0, 1),
      schedule: (_ms, then) => {
        later.push(then);
        return () => {};
      },
    },
    listener: { problems: (all) => (problems = [...all.values()].flat().map(sentence)), synced: () => {} },
    state: { load: () => ({ lastGood: emptyLastGood, quarantine: emptyQuarantine }), save: async () => {} },
    problemsOf: () => [],
    configMaps: { settings: "edge/settings", tcp: undefined, udp: undefined },
  });
  const ending = new AbortController();
  const run = sync.run(ending.signal);
  onTestFinished(async () => {
    ending.abort();
    await run;
  });
  const next = async () => {
    at = Math.min(at + 1, turns.length - 1);
    sync.wakeUp();
    await sync.settled();
  };
  await sync.settled();
  return {
    reports,
    next,
    settled: () => sync.settled(),
    problems: () => problems,
    factor: () => factor,
    passTime: () => later.splice(0).forEach((then) => void then()),
  };
}

const host = (value: string, ...shapes: string[]): ChangedRecord => ({ value, shapes });

test("a route with a new shape is published before the reload, beside the one that it replaces", async () => {
  const turns: Turn[] = [
    [text("one", "@1"), { "host a": host("{}", "@1") }],
    [text("two", "@2"), { "host a": host('{"new":1}', "@2") }],
  ];
  const it = await running(turns, () => ({ kind: "published" }));
  it.reports.length = 0;
  await it.next();
  expect(it.reports.slice(0, 2)).toEqual(["published before host a, host a", "reload two"]);
});

test("full memory is reported with its size and enlarged, and no record is left out", async () => {
  const turns: Turn[] = [
    [text("one", "@1"), { "host a": host("{}", "@1") }],
    [text("one", "@1"), { "host b": host("{}", "@1") }],
    [text("larger", "@1"), {}],
  ];
  let room = true;
  const full = { kind: "full", memory: { capacityBytes: 16 * 1024 * 1024, freeBytes: 0 } } as const;
  const it = await running(turns, () => (room ? { kind: "published" } : full));
  room = false;
  await it.next();
  expect(it.factor()).toBe(2);
  it.passTime(); // The next try has memory of the same size, and asks for no more.
  await it.settled();
  expect(it.factor()).toBe(2);
  expect(it.problems()).toEqual([
    expect.stringMatching(/^nginx's shared memory of 16 MB is full, .* configuration_data: 32 in lua-shared-dicts /),
  ]);
  room = true;
  it.passTime();
  await it.next();
  expect(it.reports).toContain("published host b");
  await it.next();
  expect(it.problems()).toEqual([]);
});

test("memory that is nearly full is reported and enlarged before a record is refused", async () => {
  const turns: Turn[] = [
    [text("one", "@1"), { "host a": host("{}", "@1") }],
    [text("one", "@1"), { "host b": host("{}", "@1") }],
    [text("larger", "@1"), { "host c": host("{}", "@1") }],
  ];
  let freeBytes = 100;
  const it = await running(turns, () => ({ kind: "published", memory: { capacityBytes: 1024, freeBytes } }));
  await it.next();
  expect(it.factor()).toBe(2);
  expect(it.problems()).toEqual([expect.stringMatching(/^nginx's shared memory of 1 KB is nearly full, /)]);
  freeBytes = 128;
  await it.next();
  await it.next();
  expect(it.factor()).toBe(2);
  expect(it.problems()).toEqual([]);
});
