import { describe, expect, test } from "vitest";
import { Chance } from "../../test/support/chance.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { type Answer, failed, failureFromStatus, ownFailure, succeeded } from "./answer.ts";
import type { Lease } from "./lease.ts";
import { type LeaseClient, LeaseElection } from "./lease-election.ts";

const name = { namespace: "default", name: "leader" };

/**
 * One Lease as an API server keeps it. `slowMs` is the time until an answer, and `away` makes every
 * request fail.
 */
class FakeApi {
  lease: Lease | undefined;
  slowMs = 0;
  slowToBegin = false;
  away = false;
  #version = 0;

  client(clock: FakeClock): LeaseClient {
    const answer = (work: () => Answer<Lease>) => async (_of: unknown, _what: unknown, signal: AbortSignal) => {
      if (this.away) return failed(ownFailure("unreachable", "away"));
      // Half of the delay comes before the write and half after it, so a request may take effect
      // after its sender has given it up.
      if (this.slowMs > 0 && this.slowToBegin)
        await new Promise<void>((resolve) => clock.schedule(this.slowMs, resolve));
      const done = work();
      if (this.slowMs > 0 && !this.slowToBegin)
        await new Promise<void>((resolve) => clock.schedule(this.slowMs, resolve));
      return signal.aborted ? failed(ownFailure("aborted", "too slow")) : done;
    };
    const write = (object: Lease): Answer<Lease> => {
      this.#version += 1;
      this.lease = { ...object, metadata: { ...object.metadata, resourceVersion: `${this.#version}` } };
      return succeeded(this.lease);
    };
    const refused = (code: number) => failed(failureFromStatus(code, undefined));
    return {
      get: answer(() => (this.lease ? succeeded(this.lease) : refused(404))),
      create: (of: unknown, object: unknown, signal: AbortSignal) =>
        answer(() => (this.lease ? refused(409) : write(object as Lease)))(of, object, signal),
      update: (of: unknown, object: unknown, signal: AbortSignal) =>
        answer(() => {
          if (this.lease === undefined) return refused(404);
          const current = (object as Lease).metadata.resourceVersion === this.lease.metadata.resourceVersion;
          return current ? write(object as Lease) : refused(409);
        })(of, object, signal),
    } as LeaseClient;
  }
}

/** Starts a process that takes part in the election and, while it leads, writes every 200 ms. */
function candidate(api: FakeApi, identity: string, written: string[]) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const events: string[] = [];
  const election = new LeaseElection(api.client(clock), {
    lease: name,
    identity,
    clock,
    random: () => 0,
    report: (event) => events.push(event.kind === "lost" ? `lost: ${event.why}` : event.kind),
    async lead(term) {
      await new Promise<void>((ended) => {
        const round = () => {
          if (term.holds()) written.push(identity);
          if (term.lost.aborted || stop.signal.aborted) ended();
          else clock.schedule(200, round);
        };
        round();
      });
    },
  });
  return { clock, stop, events, election, ended: election.run(stop.signal), identity };
}

const both = async (ms: number, ...candidates: readonly { readonly clock: FakeClock }[]) => {
  for (let passed = 0; passed < ms; passed += 100) for (const { clock } of candidates) await clock.advance(100);
};

describe("LeaseElection", () => {
  test("one of two leads, and the other follows 30 s after the leader's last renewal", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const [a, b] = [candidate(api, "a", written), candidate(api, "b", written)];
    await both(60_000, a, b);
    expect(new Set(written)).toEqual(new Set(["a"]));
    expect(b.election.leader).toBe("a");
    written.length = 0;
    await both(29_000, b); // a stands still
    expect(written).toEqual([]);
    await both(20_000, b);
    expect(new Set(written)).toEqual(new Set(["b"]));
    expect(api.lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1, leaseDurationSeconds: 30 });
  });

  test("a leader that resigns gives the Lease back at once, and does not try again for 30 s", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const [a, b] = [candidate(api, "a", written), candidate(api, "b", written)];
    await both(10_000, a, b);
    a.election.resign("its writes get no answer");
    written.length = 0;
    await both(8_000, a, b);
    expect(a.events.slice(-3)).toEqual(["released", "lost: its writes get no answer", "observed"]);
    expect(new Set(written)).toEqual(new Set(["b"]));
    b.stop.abort();
    await both(100, b);
    written.length = 0;
    await both(20_000, a);
    expect(written).toEqual([]);
    await both(10_000, a);
    expect(new Set(written)).toEqual(new Set(["a"]));
  });

  test("a leader whose process was suspended writes nothing when it resumes, and takes part again", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const [a, b] = [candidate(api, "a", written), candidate(api, "b", written)];
    await both(10_000, a, b);
    await both(60_000, b);
    a.clock.freeze(60_000);
    written.length = 0;
    await both(30_000, a, b);
    expect(new Set(written)).toEqual(new Set(["b"]));
    expect(a.events.some((event) => event.startsWith("lost"))).toBe(true);
    expect(a.election.isLeading).toBe(false);
  });

  test("a leader that cannot renew stops after 15 s, before another process may start", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const a = candidate(api, "a", written);
    await both(1_000, a);
    api.away = true;
    await both(13_000, a);
    expect(a.election.isLeading).toBe(true);
    await both(2_500, a);
    expect(a.election.isLeading).toBe(false);
    expect(a.events).toContain("lost: it could not be renewed in time");
    expect(a.clock.waiting).toBeGreaterThan(0);
  });

  test("a wall clock that is set forward by an hour pauses the leader until its next renewal, and no other process leads", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const [a, b] = [candidate(api, "a", written), candidate(api, "b", written)];
    await both(10_000, a, b);
    a.clock.jump(3_600_000);
    b.clock.jump(3_600_000);
    expect(a.election.isLeading).toBe(false);
    await both(10_000, a, b);
    expect(a.election.isLeading).toBe(true);
    expect(new Set(written)).toEqual(new Set(["a"]));
    expect(a.events.filter((event) => event === "leading")).toHaveLength(1);
  });

  test("a wall clock that is set back has no effect", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const [a, b] = [candidate(api, "a", written), candidate(api, "b", written)];
    await both(10_000, a, b);
    a.clock.jump(-3_600_000);
    api.away = true;
    await both(16_000, a, b);
    expect(a.election.isLeading).toBe(false);
  });

  test("a leader that stops releases the Lease after its last write, and the other leads within a retry", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const [a, b] = [candidate(api, "a", written), candidate(api, "b", written)];
    await both(10_000, a, b);
    a.stop.abort();
    await both(300, a, b);
    await a.ended;
    expect(a.events.at(-1)).toBe("released");
    expect(a.clock.waiting).toBe(0);
    await both(8_000, b);
    expect(b.election.isLeading).toBe(true);
  });

  test("a Lease that another process takes by force ends the term at the next renewal", async () => {
    const written: string[] = [];
    const api = new FakeApi();
    const a = candidate(api, "a", written);
    await both(1_000, a);
    const lease = api.lease as Lease;
    const spec = { ...lease.spec, holderIdentity: "thief" };
    api.lease = { ...lease, spec, metadata: { ...lease.metadata, resourceVersion: "999" } };
    await both(8_000, a);
    expect(a.events).toContain("lost: thief has it");
  });

  test.each([
    ["deleted", undefined],
    ["without a holder", ""],
    ["given to the follower", "b"],
    ["given to a stranger", "thief"],
  ])("a Lease that is %s by hand is not taken before its leader has to learn that", async (_how, holderIdentity) => {
    const written: string[] = [];
    const api = new FakeApi();
    const [a, b] = [candidate(api, "a", written), candidate(api, "b", written)];
    await both(10_000, a, b);
    const { spec, ...rest } = api.lease as Lease;
    const metadata = { ...rest.metadata, resourceVersion: "999" };
    api.lease = holderIdentity === undefined ? undefined : { ...rest, metadata, spec: { ...spec, holderIdentity } };
    await both(29_000, b); // a stands still: it has not renewed since
    expect(b.events).not.toContain("leading");
    await both(100, a);
    await both(8_000, a);
    expect(a.events.at(-1)).toMatch(/^lost: |^observed$/);
    written.length = 0;
    await both(40_000, a, b);
    expect(new Set(written).size).toBe(1);
  });

  test("at most one process writes, through stops, delays and clock jumps", async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const chance = new Chance(seed);
      const written: string[] = [];
      const api = new FakeApi();
      const all = ["a", "b", "c"].map((identity) => candidate(api, identity, written));
      for (let round = 0; round < 30; round += 1) {
        const sleeper = chance.oneOf(all);
        const what = chance.below(5);
        if (what === 0) api.slowMs = chance.share() * 20_000;
        api.slowToBegin = chance.share() < 0.5;
        if (what === 1) api.away = true;
        if (what === 2) sleeper.clock.jump((chance.share() - 0.5) * 7_200_000);
        const awake = what === 3 ? all.filter((one) => one !== sleeper) : all;
        const ms = Math.round(chance.share() * 60) * 1_000;
        for (let passed = 0; passed < ms; passed += 1_000) for (const { clock } of awake) await clock.advance(1_000);
        if (what === 3) sleeper.clock.freeze(ms);
        api.slowMs = 0;
        api.away = false;
      }
      const terms = written.filter((identity, at) => identity !== written[at - 1]);
      const begun = all.reduce((sum, { events }) => sum + events.filter((event) => event === "leading").length, 0);
      expect(terms.length, `seed ${seed}: ${terms.join(" ")}`).toBeLessThanOrEqual(begun);
      expect(terms.length).toBeGreaterThan(0);
    }
  });
});
