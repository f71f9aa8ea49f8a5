import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Service } from "../../core/model/objects.ts";
import { emptySnapshot, withObjects } from "../../core/model/snapshot.ts";
import { type NameEvent, withAddresses } from "./addresses.ts";
import type { Found } from "./lookup.ts";
import { fullNames, readResolvConf } from "./resolv-conf.ts";

describe("the content of resolv.conf", () => {
  const conf = readResolvConf(`
# comment
nameserver 192.0.2.53 ; the first
nameserver fe80::1%eth0
nameserver nonsense
search shop.svc.cluster.local svc.cluster.local.
options timeout:1 ndots:3
`);

  test("gives nameservers, search domains and ndots", () => {
    expect(conf).toEqual({
      nameservers: ["192.0.2.53", "fe80::1"],
      search: ["shop.svc.cluster.local", "svc.cluster.local."],
      ndots: 3,
    });
    expect(readResolvConf("")).toEqual({ nameservers: [], search: [], ndots: 1 });
  });

  test("makes a name with few dots searched first, one with many last, and a full one not at all", () => {
    expect(fullNames("a.b", conf)).toEqual(["a.b.shop.svc.cluster.local", "a.b.svc.cluster.local", "a.b"]);
    expect(fullNames("a.b.c.d", conf)[0]).toBe("a.b.c.d");
    expect(fullNames("a.b.", conf)).toEqual(["a.b"]);
  });
});

const service = (name: string, externalName: string): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "shop", name },
  spec: { type: "ExternalName", externalName },
});

function setUp(...services: readonly Service[]) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const answers = new Map<string, Found>();
  const asked: string[] = [];
  const events: NameEvent[] = [];
  const listeners = new Set<() => void>();
  let inner = emptySnapshot;
  const put = (...changed: readonly (Service | string)[]) => {
    inner = withObjects(
      inner,
      changed.map((one) => {
        const name = typeof one === "string" ? one : one.metadata.name;
        return { kind: "Service", key: `shop/${name}`, object: typeof one === "string" ? undefined : one } as const;
      }),
    );
    for (const listener of listeners) listener();
  };
  put(...services);
  const source = withAddresses(
    {
      snapshot: () => inner,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    {
      clock,
      lookup: async (name) => {
        asked.push(name);
        return answers.get(name) ?? { kind: "found", addresses: [], ttlMs: 5_000 };
      },
      report: (event) => events.push(event),
    },
    stop.signal,
  );
  let announced = 0;
  source.onChange(() => {
    announced += 1;
  });
  const found = (addresses: readonly string[], ttlMs = 10_000): Found => ({ kind: "found", addresses, ttlMs });
  const addresses = () => Object.fromEntries(source.snapshot().addresses);
  return { clock, stop, answers, asked, events, source, put, found, addresses, announced: () => announced };
}

test("the first complete Snapshot has the addresses", async () => {
  const setup = setUp(service("far", "API.example"), service("literal", "192.0.2.1"));
  setup.answers.set("api.example", setup.found(["192.0.2.7"]));
  await setup.source.synced;
  expect(setup.addresses()).toEqual({ "api.example": ["192.0.2.7"] });
  expect(setup.asked).toEqual(["api.example"]);
});

test("a name is looked up again when its answer has expired, and only a different answer is announced", async () => {
  const setup = setUp(service("far", "api.example"));
  setup.answers.set("api.example", setup.found(["192.0.2.7"]));
  await setup.source.synced;
  const before = setup.announced();
  await setup.clock.advance(10_000);
  expect(setup.asked).toHaveLength(2);
  expect(setup.announced()).toBe(before);
  setup.answers.set("api.example", setup.found(["192.0.2.8"]));
  await setup.clock.advance(10_000);
  expect(setup.announced()).toBe(before + 1);
  expect(setup.addresses()).toEqual({ "api.example": ["192.0.2.8"] });
});

test("addresses stay while no nameserver answers, and go when the name no longer has any", async () => {
  const setup = setUp(service("far", "api.example"));
  setup.answers.set("api.example", setup.found(["192.0.2.7"], 1_000));
  await setup.source.synced;
  setup.answers.set("api.example", { kind: "failed", why: "timeout" });
  await setup.clock.advance(1_000);
  expect(setup.addresses()).toEqual({ "api.example": ["192.0.2.7"] });
  expect(setup.events.at(-1)).toEqual({ kind: "failed", name: "api.example", why: "timeout" });
  setup.answers.set("api.example", setup.found([]));
  await setup.clock.advance(2_000);
  expect(setup.addresses()).toEqual({ "api.example": [] });
});

test("a name is followed as long as a Service has it", async () => {
  const setup = setUp();
  await setup.source.synced;
  setup.answers.set("api.example", setup.found(["192.0.2.7"]));
  setup.put(service("one", "api.example"), service("two", "api.example"));
  await setup.clock.advance(0);
  expect(setup.asked).toEqual(["api.example"]);
  setup.put("one");
  expect(setup.addresses()).toEqual({ "api.example": ["192.0.2.7"] });
  setup.put("two");
  expect(setup.addresses()).toEqual({});
  await setup.clock.advance(60_000);
  expect([setup.asked.length, setup.clock.waiting]).toEqual([1, 0]);
});

test("a silent nameserver delays the start by three seconds only", async () => {
  const setup = setUp(service("far", "api.example"));
  const silent = withAddresses(
    setup.source,
    { clock: setup.clock, lookup: () => new Promise(() => {}), report: () => {} },
    setup.stop.signal,
  );
  await setup.clock.advance(3_000);
  await silent.synced;
  expect(silent.snapshot().services.size).toBe(1);
});
