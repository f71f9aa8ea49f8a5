import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { base, configMap, fake, ingress, put, service } from "../../../test/support/sketch.ts";
import { TokenBucket } from "../../base/timing/token-bucket.ts";
import type { Certificate } from "../model/configuration.ts";
import type { DesiredStatus } from "../model/gateway/status.ts";
import type { Ingress } from "../model/objects.ts";
import { type Problem, sentence } from "../model/problem.ts";
import { emptySnapshot } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";
import { emptyLastGood } from "../table/last-good.ts";
import { defaultOptions } from "../table/options.ts";
import { emptyQuarantine } from "../table/quarantine.ts";
import { translate } from "../table/translator.ts";
import { emptyInputs } from "../table/turn.ts";
import type { Nginx, SyncReport, Translates } from "./ports.ts";
import { Sync, type SyncParts } from "./sync.ts";

/** The translation of an empty cluster. */
const nothing = translate(emptyInputs, defaultOptions, fake);

const emptyText = { conf: "", files: [], shapes: new Set<string>(), parts: {}, ownersAt: () => new Set<string>() };

/** Runs a Sync on a cluster without changes, with one certificate. */
function still(certificate: Certificate, nginx: Partial<Nginx> = {}, more: Partial<SyncParts> = {}) {
  const clock = new FakeClock();
  const reported: string[][] = [];
  let syncs = 0;
  const certificates = Table.from([[certificate.id, certificate]]);
  const translation = { ...nothing, configuration: { ...nothing.configuration, certificates } };
  let text = { ...emptyText, generation: "1" };
  const parts: SyncParts = {
    source: { snapshot: () => emptySnapshot, onChange: () => () => {} },
    translator: { turn: () => translation },
    renderer: { render: () => ({ text, records: new Map(), opened: [], bugs: new Map() }) },
    memory: {
      records: new Map(),
      keep: async () => {},
      publish: async () => ({ kind: "published" }),
      isOurs: async () => true,
    },
    nginx: {
      apply: async () => ({ kind: "reloaded", tookMs: 1, warnings: [] }),
      keepOpened: async () => {},
      hasOlderWorkers: () => false,
      ...nginx,
    },
    bucket: new TokenBucket({ perSecond: 1, burst: 100 }, { now: () => 0 }),
    clock,
    listener: {
      problems: (all) => void reported.push([...all.values()].flat().map(sentence)),
      synced: () => {
        syncs += 1;
      },
    },
    state: { load: () => ({ lastGood: emptyLastGood, quarantine: emptyQuarantine }), save: async () => {} },
    problemsOf: () => [],
    configMaps: { settings: undefined, tcp: undefined, udp: undefined },
    ...more,
  };
  const change = (generation: string) => {
    text = { ...text, generation };
  };
  return { sync: new Sync(parts), clock, change, reported: () => reported.at(-1), syncs: () => syncs };
}
const hourMs = 3_600_000;

test("a certificate that expires without a change is reported within the hour, without a report of a sync", async () => {
  const clock = new FakeClock();
  const notAfter = new Date(clock.wall() + 30.5 * 24 * hourMs);
  const { sync, clock: time, reported, syncs } = still({ ...fake, id: "shop/tls", notAfter });
  const ending = new AbortController();
  const running = sync.run(ending.signal);
  await time.advance(hourMs);
  expect(reported()).toEqual([]);
  const before = syncs();
  await time.advance(29 * 24 * hourMs);
  expect(reported()).toEqual(["tls.crt: the certificate expires soon, on 2026-01-31; it is still served"]);
  await time.advance(2 * 24 * hourMs);
  expect(reported()).toEqual(["tls.crt: the certificate expired on 2026-01-31; it is still served"]);
  expect(syncs()).toBe(before);
  ending.abort();
  await running;
  expect(time.waiting).toBe(0);
});

test("a reload that may succeed later is repeated at growing intervals, and a new text is applied at once", async () => {
  const tries: string[] = [];
  let isFull = true;
  const apply: Nginx["apply"] = async ({ generation }) => {
    tries.push(`${generation} at ${clock.now() - begun}`);
    return isFull
      ? { kind: "unreachable", cause: new Error("disk full") }
      : { kind: "reloaded", tookMs: 1, warnings: [] };
  };
  const { sync, clock, change } = still({ ...fake, id: "shop/tls" }, { apply });
  const begun = clock.now();
  const ending = new AbortController();
  const running = sync.run(ending.signal);
  await clock.advance(10_000);
  expect(tries).toEqual(["1 at 0", "1 at 1000", "1 at 3000", "1 at 7000"]);
  sync.wakeUp();
  await clock.advance(0);
  expect(tries).toHaveLength(4);
  change("2");
  sync.wakeUp();
  await clock.advance(0);
  expect(tries.slice(4)).toEqual(["2 at 10000"]);
  isFull = false;
  await clock.advance(30_000);
  expect(tries.slice(5)).toEqual(["2 at 26000"]);
  await sync.settled();
  ending.abort();
  await running;
});

test("a turn that began before a refusal does not apply the same text again, which would set others aside", async () => {
  const tries: string[] = [];
  let refuse = () => {};
  const apply: Nginx["apply"] = ({ generation }) => {
    tries.push(generation);
    if (generation !== "all") return Promise.resolve({ kind: "reloaded", tookMs: 1, warnings: [] });
    const refused = { kind: "refused", stderr: "no", names: "0.0.0.0:9000" } as const;
    return new Promise((resolve) => {
      refuse = () => resolve(refused);
    });
  };
  let snapshot = base;
  const source = { snapshot: () => snapshot, onChange: () => () => {} };
  let [held, release] = [Promise.resolve(), () => {}];
  const state = { load: () => ({ lastGood: emptyLastGood, quarantine: emptyQuarantine }), save: () => held };
  const translator: Translates = {
    turn: ({ quarantine }) => {
      change(snapshot === base ? "none" : quarantine.ports.size > 0 ? "without the port" : "all");
      return nothing;
    },
  };
  const configMaps = { settings: "ns/settings", tcp: "ns/tcp", udp: undefined };
  const { sync, clock, change } = still(fake, { apply }, { source, state, translator, configMaps });
  const ending = new AbortController();
  const running = sync.run(ending.signal);
  await clock.advance(0);
  snapshot = put(base, configMap("ns/settings", { "keep-alive": "7" }), configMap("ns/tcp", { 9000: "ns/web:80" }));
  sync.wakeUp();
  await clock.advance(0);
  expect(tries).toEqual(["none", "all"]);
  held = new Promise((resolve) => {
    release = resolve;
  });
  sync.wakeUp();
  await clock.advance(0);
  refuse();
  await clock.advance(0);
  release();
  await clock.advance(0);
  expect(tries).toEqual(["none", "all", "without the port"]);
  await sync.settled();
  expect([...sync.quarantine.settings.keys()]).toEqual([]);
  ending.abort();
  await running;
});

test("a refusal that no object caused is not blamed on the next Ingress", async () => {
  const tries: string[] = [];
  const apply: Nginx["apply"] = async ({ generation }) => {
    tries.push(generation);
    return generation.startsWith("broken")
      ? { kind: "refused", stderr: "no" }
      : { kind: "reloaded", tookMs: 1, warnings: [] };
  };
  let snapshot = base;
  const source = { snapshot: () => snapshot, onChange: () => () => {} };
  const translator: Translates = {
    turn: ({ quarantine }) => {
      const hasIngress = snapshot.ingresses.size > 0 && quarantine.objects.size === 0;
      change(`${snapshot.services.size > 0 ? "broken" : "whole"}${hasIngress ? " with Ingress" : ""}`);
      return nothing;
    },
  };
  const { sync, clock, change } = still(fake, { apply }, { source, translator });
  const ending = new AbortController();
  const running = sync.run(ending.signal);
  const comes = async (next: typeof snapshot) => {
    snapshot = next;
    sync.wakeUp();
    await clock.advance(0);
  };
  await comes(base);
  await comes(put(snapshot, service("unattributable")));
  await comes(put(snapshot, ingress({ name: "innocent" })));
  expect(tries).toEqual(["whole", "broken", "broken with Ingress"]);
  expect([...sync.quarantine.objects.keys()]).toEqual([]);
  await comes(put(base, ingress({ name: "innocent" })));
  expect(tries.at(-1)).toBe("whole with Ingress");
  await sync.settled();
  ending.abort();
  await running;
});

test("a listener gets the report that a failure is over once its cause is set aside, although no reload follows", async () => {
  const tries: string[] = [];
  const apply: Nginx["apply"] = async ({ generation }) => {
    tries.push(generation);
    return generation === "broken" ? { kind: "refused", stderr: "no" } : { kind: "reloaded", tookMs: 1, warnings: [] };
  };
  let snapshot = base;
  const source = { snapshot: () => snapshot, onChange: () => () => {} };
  const kept: string[][] = [];
  const good = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { namespace: "ns", name: "guilty" } };
  const translator: Translates = {
    turn: ({ quarantine }) => {
      const isAside = quarantine.objects.has("Ingress ns/guilty");
      change(snapshot.ingresses.size > 0 && !isAside ? "broken" : "whole");
      const objects = Table.from(isAside ? [["Ingress ns/guilty", good as Ingress] as const] : []);
      const judged = [...snapshot.ingresses.values()].filter(
        ({ metadata }) => !quarantine.objects.has(`Ingress ns/${metadata.name}`),
      );
      const problems = judged.map(({ metadata: { name } }): [string, readonly Problem[]] => {
        const object = { kind: "Ingress", namespace: "ns", name };
        return [name, [{ kind: "service-missing", object, field: "spec.defaultBackend", service: "away" }]];
      });
      return { ...nothing, problems: Table.from(problems), lastGood: { ...emptyLastGood, objects } };
    },
  };
  const reports: (boolean | undefined)[] = [];
  const listener: SyncParts["listener"] = {
    problems: (all) => void kept.push([...all.values()].flat().map(({ kind, object }) => `${kind} ${object.name}`)),
    synced: ({ change: { kind }, reload }) => {
      if (reload !== undefined || kind !== "reload") reports.push(reload?.kind !== "refused");
    },
  };
  const { sync, clock, change } = still(fake, { apply }, { source, translator, listener });
  const ending = new AbortController();
  const running = sync.run(ending.signal);
  await clock.advance(0);
  reports.length = 0;
  snapshot = put(base, ingress({ name: "guilty" }), ingress({ name: "innocent" }));
  sync.wakeUp();
  await clock.advance(0);
  await sync.settled();
  expect([...sync.refusals.objects.keys()]).toEqual(["Ingress ns/guilty"]);
  expect(reports[0]).toBe(false);
  expect(reports.at(-1)).toBe(true);
  const distinct = new Set(kept.filter((one) => one.length > 0).map((one) => one.join(", ")));
  expect([...distinct]).toEqual([
    "service-missing guilty, service-missing innocent",
    "last-good guilty, service-missing innocent",
  ]);
  const earlier = reports.length;
  sync.wakeUp();
  await clock.advance(0);
  expect(reports).toHaveLength(earlier);
  ending.abort();
  await running;
});

test("the statuses of a turn are live when nginx has its text, or at once where the text is the same", async () => {
  const reported: string[] = [];
  const applied = Promise.withResolvers<void>();
  let waits = Promise.resolve();
  const apply: Nginx["apply"] = async () => {
    await waits;
    return { kind: "reloaded", tookMs: 1, warnings: [] };
  };
  let turns = 0;
  const translator: Translates = {
    turn: () => {
      turns += 1;
      const status = { kind: "GatewayClass", object: { kind: `${turns}` } } as unknown as DesiredStatus;
      return { ...nothing, statuses: Table.from([["GatewayClass a", status]]) };
    },
  };
  const listener: SyncParts["listener"] = {
    problems: () => {},
    synced: () => {},
    statuses: (wanted, progress) => void reported.push(`${progress} ${wanted.get("GatewayClass a")?.object.kind}`),
  };
  const { sync, clock, change } = still(fake, { apply }, { translator, listener });
  const ending = new AbortController();
  const running = sync.run(ending.signal);
  await clock.advance(0);
  await sync.settled();
  sync.wakeUp();
  await clock.advance(0);
  await sync.settled();
  expect(reported.slice(-2)).toEqual([`made ${turns}`, `live ${turns}`]);

  reported.length = 0;
  waits = applied.promise;
  change("2");
  sync.wakeUp();
  await clock.advance(0);
  const made = turns;
  expect(reported).toEqual([`made ${made}`]);
  applied.resolve();
  await clock.advance(0);
  await sync.settled();
  expect(reported[1]).toBe(`live ${made}`);
  ending.abort();
  await running;
});

describe("a bug outside of the reading of one object", () => {
  /** The translator and the listener throw while `broken` is true. */
  function breakable() {
    const broken = { translator: false, renderer: false, listener: false };
    const reports: SyncReport[] = [];
    const bug = (name: keyof typeof broken) => {
      if (broken[name]) throw new TypeError(`${name} is broken`);
    };
    const rendered = { ...emptyText, generation: "1" };
    const made = still(
      { ...fake, notAfter: new Date(8.64e15) },
      {},
      {
        translator: {
          turn: () => {
            bug("translator");
            return nothing;
          },
        },
        renderer: {
          render: () => {
            bug("renderer");
            return { text: rendered, records: new Map(), opened: [], bugs: new Map() };
          },
        },
        listener: { problems: () => bug("listener"), synced: (report) => void reports.push(report) },
      },
    );
    return { ...made, broken, reports };
  }

  test.each(["translator", "renderer"] as const)(
    "in the %s leaves nginx serving, and the turn is repeated",
    async (part) => {
      const { sync, clock, broken, reports } = breakable();
      const ending = new AbortController();
      const running = sync.run(ending.signal);
      await clock.advance(1);
      const { live } = sync;
      expect(live?.generation).toBe("1");
      broken[part] = true;
      sync.wakeUp();
      await clock.advance(1);
      expect(reports.at(-1)?.reload).toEqual({ kind: "failed", cause: new TypeError(`${part} is broken`) });
      const count = reports.length;
      // The failure is reported once, however often the turn is tried.
      await clock.advance(200_000);
      expect(reports).toHaveLength(count);
      expect(sync.live).toBe(live);
      broken[part] = false;
      await clock.advance(60_000);
      expect(reports).toHaveLength(count + 1);
      expect(reports.at(-1)?.reload).toBeUndefined();
      await sync.settled();
      ending.abort();
      await running;
    },
  );

  test("in a listener for the Problems does not keep the change from being applied", async () => {
    const { sync, clock, broken, reports } = breakable();
    broken.listener = true;
    const ending = new AbortController();
    const running = sync.run(ending.signal);
    await clock.advance(1);
    expect(sync.live?.generation).toBe("1");
    expect(reports.map(({ reload }) => reload?.kind)).toEqual(["failed", "reloaded"]);
    ending.abort();
    await running;
  });
});
