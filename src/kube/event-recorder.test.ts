import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { type Answer, type ApiFailure, failed, failureFromStatus, ownFailure, succeeded } from "./answer.ts";
import type { Occurrence } from "./event-correlator.ts";
import { EventRecorder, type KubernetesEvent } from "./event-recorder.ts";

const ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace: "shop", name: "front", uid: "u1", resourceVersion: "7" },
};

function setUp() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const stored = new Map<string, KubernetesEvent>();
  const dropped: Occurrence[] = [];
  const writes: string[] = [];
  const failures: ApiFailure[] = [];
  const answer = async (verb: string, work: () => Answer<KubernetesEvent>): Promise<Answer<KubernetesEvent>> => {
    writes.push(verb);
    const failure = failures.shift();
    return failure ? failed(failure) : work();
  };
  const keep = (event: KubernetesEvent) => {
    stored.set(event.metadata.name, event);
    return succeeded(event);
  };
  const client = {
    create: (_of: unknown, event: KubernetesEvent) => answer("create", () => keep(event)),
    patch: (_of: unknown, { name }: { name: string }, { body }: { body: object }) =>
      answer("patch", () => {
        const before = stored.get(name);
        return before ? keep({ ...before, ...body }) : failed(failureFromStatus(404, undefined));
      }),
  } as unknown as ConstructorParameters<typeof EventRecorder>[0];
  const recorder = new EventRecorder(client, {
    component: "nginx-ingress-controller",
    clock,
    report: ({ occurrence }) => dropped.push(occurrence),
  });
  const ended = recorder.run(stop.signal);
  return { clock, stop, stored, dropped, writes, failures, recorder, ended };
}

test("an Event names the object, the reporting controller and the time", async () => {
  const { clock, recorder, stored } = setUp();
  recorder.record(ingress, "Warning", "Rejected", "no such Service");
  await clock.advance(0);
  expect([...stored.values()]).toMatchObject([
    {
      metadata: { namespace: "shop", name: expect.stringMatching(/^front\.[0-9a-f]+$/) },
      involvedObject: { kind: "Ingress", namespace: "shop", name: "front", uid: "u1" },
      source: { component: "nginx-ingress-controller" },
      reportingComponent: "nginx-ingress-controller",
      count: 1,
      firstTimestamp: "2026-01-01T00:00:00Z",
    },
  ]);
});

test("a repeated Event raises the count of the existing one", async () => {
  const { clock, recorder, stored, writes } = setUp();
  for (let i = 0; i < 3; i += 1) recorder.record(ingress, "Warning", "Rejected", "no such Service");
  await clock.advance(1_000);
  expect(writes).toEqual(["create", "patch", "patch"]);
  expect([...stored.values()]).toMatchObject([{ count: 3, message: "no such Service" }]);
});

test("an Event that the server has deleted is written as a new one", async () => {
  const { clock, recorder, stored, writes } = setUp();
  recorder.record(ingress, "Warning", "Rejected", "no such Service");
  await clock.advance(0);
  stored.clear();
  recorder.record(ingress, "Warning", "Rejected", "no such Service");
  await clock.advance(0);
  expect(writes).toEqual(["create", "patch", "create"]);
});

test("the eleventh and later messages of a kind become one Event", async () => {
  const { clock, recorder, stored } = setUp();
  for (let i = 0; i < 15; i += 1) recorder.record(ingress, "Warning", "Rejected", `port ${i}`);
  await clock.advance(60_000);
  expect(stored.size).toBe(11);
  expect([...stored.values()].at(-1)).toMatchObject({ count: 5, message: "(combined from similar events): port 14" });
});

test("one object has at most 25 Events, and one more every five minutes", async () => {
  const { clock, recorder, writes, dropped } = setUp();
  for (let second = 0; second < 600; second += 1) {
    recorder.record(ingress, "Warning", "Rejected", "no such Service");
    await clock.advance(1_000);
  }
  expect(writes.length).toBeLessThanOrEqual(27);
  expect(writes.length + dropped.length).toBe(600);
});

test("all objects together write 50 Events at once and then five a second", async () => {
  const { clock, recorder, writes } = setUp();
  const about = (i: number) => ({ ...ingress, metadata: { ...ingress.metadata, name: `i${i}` } });
  for (let i = 0; i < 300; i += 1) recorder.record(about(i), "Normal", "Sync", "accepted");
  await clock.advance(0);
  expect(writes.length).toBe(50);
  await clock.advance(10_000);
  expect(writes.length).toBe(100);
});

test("Warnings are written first and dropped last", async () => {
  const { clock, recorder, stored, dropped } = setUp();
  const about = (i: number) => ({ ...ingress, metadata: { ...ingress.metadata, name: `i${i}` } });
  recorder.record(about(0), "Warning", "Rejected", "early");
  for (let i = 1; i <= 1_000; i += 1) recorder.record(about(i), "Normal", "Sync", "accepted");
  recorder.record(about(1_001), "Warning", "Rejected", "late");
  expect(dropped.map(({ about }) => about.name)).toEqual(["i1", "i2"]);
  await clock.advance(0);
  expect([...stored.values()].slice(0, 3).map(({ message }) => message)).toEqual(["early", "late", "accepted"]);
});

test("a write waits while the connection is lost, and a refused one is not repeated", async () => {
  const { clock, recorder, writes, dropped, failures, stored } = setUp();
  failures.push(ownFailure("unreachable", "gone"), ownFailure("unreachable", "gone"));
  recorder.record(ingress, "Warning", "Rejected", "first");
  await clock.advance(25_000);
  expect(writes).toEqual(["create", "create", "create"]);
  expect(stored.size).toBe(1);
  failures.push(failureFromStatus(403, undefined));
  recorder.record(ingress, "Warning", "Rejected", "second");
  await clock.advance(25_000);
  expect(dropped).toMatchObject([{ message: "second" }]);
});

test("a message that is too long for the API is shortened", async () => {
  const { clock, recorder, stored } = setUp();
  recorder.record(ingress, "Warning", "Rejected", "ä".repeat(2_000));
  await clock.advance(0);
  const [event] = stored.values();
  expect(Buffer.byteLength(event?.message ?? "")).toBeLessThanOrEqual(1_024);
  expect(event?.message).toMatch(/ä\.\.\.$/);
});

test("the recorder stops, also while it waits", async () => {
  const { clock, recorder, failures, stop, ended } = setUp();
  failures.push(ownFailure("unreachable", "gone"));
  recorder.record(ingress, "Warning", "Rejected", "first");
  await clock.advance(1_000);
  stop.abort();
  await ended;
  expect(clock.waiting).toBe(0);
});

test("an Event on which the recorder itself fails is dropped and reported, and the next is written", async () => {
  const { clock, recorder, stored, dropped } = setUp();
  const strange = { ...ingress, metadata: { ...ingress.metadata, name: undefined as unknown as string } };
  recorder.record(strange, "Warning", "Rejected", "x");
  recorder.record(ingress, "Warning", "Rejected", "x");
  await clock.advance(0);
  expect(dropped).toHaveLength(1);
  expect(stored.size).toBe(1);
});
