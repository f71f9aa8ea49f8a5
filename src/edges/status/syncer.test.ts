import { expect, test, vi } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Ingress, keyOf, type LoadBalancerAddress } from "../../core/model/objects.ts";
import { failed, failureFromStatus, ownFailure, succeeded } from "../../kube/answer.ts";
import type { Client, Term } from "../../kube/index.ts";
import type { Addresses } from "./addresses.ts";
import { clearStatus, keepStatus, type StatusEvent } from "./syncer.ts";

const ingress = (name: string, ...addresses: readonly LoadBalancerAddress[]): Ingress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace: "shop", name, resourceVersion: "1", labels: { keep: "me" } },
  ...(addresses.length > 0 ? { status: { loadBalancer: { ingress: addresses } } } : {}),
});

/** Sets up Ingresses on an API server, and the surroundings of a syncer. */
function setUp(present: readonly Ingress[]) {
  const stored = new Map(present.map((one) => [keyOf(one), one]));
  const events: StatusEvent[] = [];
  const writes: string[] = [];
  const listeners = new Set<() => void>();
  const clock = new FakeClock();
  const world = {
    addresses: [{ ip: "192.0.2.1" }] as Addresses,
    company: false,
    busy: 0,
    busiest: 0,
    looks: 0,
    reads: 0,
    whole: new Set<string>(),
  };
  const changed: string[] = [];
  const hooks = { beforeUpdate: (_one: Ingress) => {} };
  const client = {
    async get(_of: unknown, { namespace, name }: { readonly namespace?: string; readonly name: string }) {
      world.reads += 1;
      world.busy += 1;
      world.busiest = Math.max(world.busiest, world.busy);
      await new Promise(setImmediate);
      world.busy -= 1;
      const found = stored.get(`${namespace}/${name}`);
      return found ? succeeded(found) : failed(failureFromStatus(404, {}));
    },
    async update(_of: unknown, sent: Ingress, _signal: AbortSignal, options: object) {
      expect(options).toEqual({ subresource: "status" });
      hooks.beforeUpdate(sent);
      const before = stored.get(keyOf(sent));
      if (before?.metadata.resourceVersion !== sent.metadata.resourceVersion) return failed(failureFromStatus(409, {}));
      const resourceVersion = `${Number(sent.metadata.resourceVersion) + 1}`;
      stored.set(keyOf(sent), { ...sent, metadata: { ...sent.metadata, resourceVersion } });
      writes.push(sent.metadata.name);
      return succeeded(sent);
    },
  } as unknown as Pick<Client, "get" | "update">;
  const options = {
    client,
    addresses: async () => succeeded(world.addresses),
    ingresses: () => {
      world.looks += 1;
      return [...stored.values()];
    },
    changed: () => changed.splice(0).map((key) => stored.get(key)!),
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isWhole: (one: Ingress) => world.whole.has(one.metadata.name),
    intervalMs: 60_000,
    clock,
    report: (event: StatusEvent) => events.push(event),
    hasCompany: async () => world.company,
  };
  const change = (one: Ingress) => {
    stored.set(keyOf(one), one);
    changed.push(keyOf(one));
    for (const listener of listeners) listener();
  };
  const addressesOf = (name: string) => stored.get(`shop/${name}`)?.status?.loadBalancer?.ingress;
  return { stored, events, writes, clock, world, hooks, options, change, addressesOf, listeners };
}

const leading = (lost = new AbortController()) => ({ lost: lost.signal, holds: () => !lost.signal.aborted });
const never = new AbortController().signal;

/** Starts the leader's work and runs its first round. */
async function started(setup: ReturnType<typeof setUp>, term: Term = leading()) {
  const stop = new AbortController();
  const ended = keepStatus(setup.options, term, stop.signal);
  await setup.clock.advance(0);
  for (let i = 0; i < 100; i += 1) await new Promise(setImmediate);
  return { stop, ended };
}

test("an Ingress whose status is right is not read", async () => {
  const setup = setUp([ingress("whole"), ingress("part")]);
  setup.world.whole.add("whole");
  await started(setup);
  expect([setup.writes.toSorted(), setup.world.reads]).toEqual([["part", "whole"], 1]);
});

test("only the status is written, and the rest of the object stays", async () => {
  const setup = setUp([ingress("new"), ingress("right", { ip: "192.0.2.1" }), ingress("wrong", { ip: "192.0.2.7" })]);
  await started(setup);
  expect(setup.writes.sort()).toEqual(["new", "wrong"]);
  expect(setup.addressesOf("wrong")).toEqual([{ ip: "192.0.2.1" }]);
  expect(setup.stored.get("shop/new")?.metadata.labels).toEqual({ keep: "me" });
  expect(setup.events).toEqual([{ kind: "written", ingresses: 2 }]);
});

test("an Ingress on which Sluice fails is reported, and all others are written", async () => {
  const throwing = () => {
    throw new TypeError("nobody thought of it");
  };
  const strange = Object.defineProperty(ingress("strange"), "status", { enumerable: true, get: throwing });
  const setup = setUp([strange, ingress("web")]);
  const { ended } = await started(setup);
  expect(setup.writes).toEqual(["web"]);
  expect(setup.events.map(({ kind }) => kind)).toEqual(["write-failed", "written"]);
  setup.options.addresses = throwing;
  await vi.waitFor(async () => {
    await setup.clock.advance(60_000);
    expect(setup.events.at(-1)).toMatchObject({ kind: "no-addresses" });
  });
  expect(await Promise.race([ended, "goes on"])).toBe("goes on");
});

test("a thousand Ingresses are written ten at a time", async () => {
  const setup = setUp(Array.from({ length: 1_000 }, (_, i) => ingress(`web-${i}`)));
  const { stop, ended } = await started(setup);
  await expect.poll(() => setup.writes.length).toBe(1_000);
  expect(setup.world.busiest).toBe(10);
  stop.abort();
  await ended;
});

test.each(["part", "whole"])("after a conflict the newer object is read and written: %s", async (known) => {
  const setup = setUp([ingress("web")]);
  if (known === "whole") setup.world.whole.add("web");
  let once = true;
  setup.hooks.beforeUpdate = (sent) => {
    if (!once) return;
    once = false;
    const { metadata } = sent;
    setup.stored.set("shop/web", {
      ...ingress("web"),
      metadata: { ...metadata, labels: { newer: "1" }, resourceVersion: "5" },
    });
  };
  await started(setup);
  expect(setup.addressesOf("web")).toEqual([{ ip: "192.0.2.1" }]);
  expect(setup.stored.get("shop/web")?.metadata.labels).toEqual({ newer: "1" });
});

test("a refusal is reported once and not repeated in this round", async () => {
  const setup = setUp([ingress("web")]);
  const failure = failureFromStatus(403, { reason: "Forbidden", message: "no right", code: 403 });
  let tries = 0;
  setup.options.client.update = async () => {
    tries += 1;
    return failed(failure);
  };
  await started(setup);
  expect(tries).toBe(1);
  expect(setup.events).toEqual([{ kind: "write-failed", ingress: "shop/web", failure }]);
});

test("the next round starts after the interval, or a second after a change", async () => {
  const setup = setUp([]);
  const { stop, ended } = await started(setup);
  setup.stored.set("shop/late", ingress("late"));
  await setup.clock.advance(59_000);
  expect(setup.writes).toEqual([]);
  await setup.clock.advance(1_000);
  await expect.poll(() => setup.writes).toEqual(["late"]);
  setup.change(ingress("later"));
  await setup.clock.advance(1_000);
  await expect.poll(() => setup.writes).toEqual(["late", "later"]);
  stop.abort();
  await ended;
  expect([setup.clock.waiting, setup.listeners.size]).toEqual([0, 0]);
});

test("after a change only the changed Ingress is compared, until the interval ends, the addresses change or a write fails", async () => {
  const setup = setUp([ingress("web")]);
  const { stop, ended } = await started(setup);
  const afterChange = async (ms = 1_000) => {
    const name = `web-${setup.stored.size}`;
    setup.change(ingress(name));
    await setup.clock.advance(ms);
    await expect.poll(() => setup.addressesOf(name)).toEqual(setup.world.addresses);
    return setup.world.looks;
  };
  expect([await afterChange(), await afterChange()]).toEqual([1, 1]);
  setup.world.addresses = [{ ip: "192.0.2.2" }];
  expect([await afterChange(), await afterChange()]).toEqual([2, 2]);
  expect(setup.addressesOf("web")).toEqual([{ ip: "192.0.2.2" }]);
  const { update } = setup.options.client;
  setup.options.client.update = async () => failed(failureFromStatus(500, {}));
  setup.change(ingress("failing"));
  await setup.clock.advance(1_000);
  await expect.poll(() => setup.events.at(-1)).toMatchObject({ kind: "write-failed", ingress: "shop/failing" });
  setup.options.client.update = update;
  expect([await afterChange(), await afterChange()]).toEqual([3, 3]);
  expect(setup.addressesOf("failing")).toEqual([{ ip: "192.0.2.2" }]);
  for (const expected of [3, 3, 4]) expect(await afterChange(29_000)).toBe(expected);
  stop.abort();
  await ended;
});

test("nothing is written after the lead is lost", async () => {
  const setup = setUp(Array.from({ length: 50 }, (_, i) => ingress(`web-${i}`)));
  const lost = new AbortController();
  setup.hooks.beforeUpdate = () => lost.abort();
  const { ended } = await started(setup, leading(lost));
  await ended;
  expect(setup.writes).toHaveLength(1);
});

test("a write in progress is completed before the work ends", async () => {
  const setup = setUp([ingress("web"), ingress("next")]);
  const arrived = Promise.withResolvers<AbortSignal>();
  const answered = Promise.withResolvers<void>();
  const { update } = setup.options.client;
  setup.options.client.update = async (of, sent, signal, options) => {
    arrived.resolve(signal);
    await answered.promise;
    return update(of, sent, signal, options);
  };
  const { stop, ended } = await started(setup);
  const signal = await arrived.promise;
  stop.abort();
  let over = false;
  void ended.then(() => {
    over = true;
  });
  for (let i = 0; i < 100; i += 1) await new Promise(setImmediate);
  expect([signal.aborted, over]).toEqual([false, false]);
  answered.resolve();
  await ended;
  expect(setup.addressesOf("web")).toEqual([{ ip: "192.0.2.1" }]);
});

test("addresses that cannot be read have no effect", async () => {
  const setup = setUp([ingress("web", { ip: "192.0.2.7" })]);
  const failure = ownFailure("unreachable", "gone");
  setup.options.addresses = async () => failed(failure) as never;
  await started(setup);
  expect(setup.events).toEqual([{ kind: "no-addresses", failure }]);
  expect(setup.addressesOf("web")).toEqual([{ ip: "192.0.2.7" }]);
});

test.each([
  ["the last controller removes its only address", [{ ip: "192.0.2.1" }], false, undefined],
  ["several addresses stay", [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }], false, [{ ip: "192.0.2.1" }]],
  ["with another controller left the address stays", [{ ip: "192.0.2.1" }], true, [{ ip: "192.0.2.1" }]],
])("on shutdown %s", async (_name, addresses, company, expected) => {
  const setup = setUp([ingress("web", { ip: "192.0.2.1" })]);
  Object.assign(setup.world, { addresses, company });
  await clearStatus(setup.options, never);
  expect(setup.addressesOf("web")).toEqual(expected);
});

test.each(["part", "whole"])("on shutdown an address that was written just before is removed: %s", async (known) => {
  const setup = setUp([ingress("web", { ip: "192.0.2.1" })]);
  if (known === "whole") setup.world.whole.add("web");
  await clearStatus({ ...setup.options, ingresses: () => [ingress("web")] }, never);
  expect(setup.addressesOf("web")).toBeUndefined();
});
