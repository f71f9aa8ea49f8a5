/**
 * A simulated cluster: an API server, a nameserver and replicas in one virtual time. It runs one
 * history, judges the rules at each event, and stops at the first rule that is broken.
 */
import { createHash } from "node:crypto";
import type { Certificate } from "../../src/core/model/configuration.ts";
import type { Template } from "../../src/core/render/template.ts";
import type { Found } from "../../src/edges/names/lookup.ts";
import { Chance } from "../support/chance.ts";
import type { Probe } from "./answers.ts";
import { ApiServer } from "./api/server.ts";
import { faults } from "./faults.ts";
import type { History } from "./history.ts";
import { type Broken, Judge } from "./judge.ts";
import { Oracle } from "./oracle.ts";
import { options, Replica } from "./replica.ts";
import { Time } from "./time.ts";
import { settle, users } from "./users.ts";

/** What is expensive to make, and the same for all worlds. */
export interface Given {
  readonly fake: Certificate;
  readonly template: Template;
}

export interface Outcome {
  readonly broken: Broken | undefined;
  /** A hash of everything that has happened. */
  readonly trace: string;
  /** The last events. */
  readonly events: readonly string[];
  /** How often each step and each rule really occurred. */
  readonly counts: ReadonlyMap<string, number>;
}

/** A change or fault is over for a replica after this time; see docs/reliability.md. */
export const promisedMs = 5_000;
const mostEvents = 400;

export class World {
  readonly time = new Time();
  readonly server = new ApiServer(() => Date.UTC(2026, 0, 1) + this.time.now);
  readonly oracle: Oracle;
  readonly judge: Judge;
  readonly counts = new Map<string, number>();
  readonly names = new Map<string, readonly string[]>();
  /** Hosts whose objects nginx refuses, with the moment until which they are not judged. */
  readonly doubtful = new Map<string, number>();
  readonly probes: Probe[] = [];
  /** Whether the nameserver does not answer. */
  isNamelessUntil = 0;
  /** The moment at which the last fault and its aftermath end. */
  busyUntil = 0;
  readonly #replicas: Replica[] = [];
  readonly #given: Given;
  readonly #hash = createHash("sha1");
  readonly #events: string[] = [];
  readonly #history: History;

  constructor(history: History, given: Given) {
    this.#history = history;
    this.#given = given;
    const now = () => this.time.now;
    this.oracle = new Oracle({ server: this.server, now, options, fake: given.fake });
    this.judge = new Judge(this);
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  note(words: string): void {
    const line = `${(this.time.now / 1000).toFixed(3)} ${words}`;
    this.#hash.update(line);
    this.#events.push(line);
    if (this.#events.length > mostEvents) this.#events.shift();
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Notes that a fault begins, and that it and its aftermath end for a replica after `ms`. */
  trouble(replica: Replica, ms: number): void {
    this.judge.trouble(replica, this.time.now + ms);
    this.busyUntil = Math.max(this.busyUntil, this.time.now + ms);
  }

  async run(): Promise<Outcome> {
    const { seed, replicas, hasOwnNginx, steps } = this.#history;
    const chance = new Chance(seed);
    this.server.minor = chance.oneOf([30, 34]);
    this.server.watchesLists = chance.oneOf([true, false]);
    this.server.onChange(({ kind, key, after }) => {
      if (kind !== "Lease" && kind !== "Event")
        this.note(`api: ${kind} ${key} ${after?.metadata.resourceVersion ?? "gone"}`);
      if (kind !== "Lease" && kind !== "Event") this.busyUntil = Math.max(this.busyUntil, this.time.now);
      this.time.after(promisedMs + 1, () => this.judge.look());
    });
    settle(this, chance);
    this.oracle.start();
    for (let number = 0; number < replicas; number++) this.#add(number, hasOwnNginx, chance);
    for (const step of steps) this.time.after(step.at, () => this.#take(step));
    const isOver = () => this.judge.broken !== undefined;
    const last = Math.max(0, ...steps.map(({ at }) => at)) + 1;
    const onRejection = (bug: unknown) => this.judge.ended("a replica", `an unhandled rejection: ${String(bug)}`);
    process.on("unhandledRejection", onRejection);
    try {
      await this.time.runTo(last, isOver);
      for (let end = 0; !isOver() && end !== this.#end; ) {
        end = this.#end;
        await this.time.runTo(end, isOver);
      }
      if (!isOver()) this.judge.atEnd();
      if (!isOver() && seed % 8 === 0) await this.#forget(isOver);
    } finally {
      process.off("unhandledRejection", onRejection);
      for (const replica of this.#replicas) replica.kill("the simulation ends");
    }
    const trace = this.#hash.digest("hex");
    return { broken: this.judge.broken, trace, events: this.#events, counts: this.counts };
  }

  /** The moment at which everything that was begun must be over. */
  get #end(): number {
    return this.busyUntil + promisedMs + 1_500;
  }

  /** Returns what a nameserver answers. */
  lookUp(name: string): Found {
    if (this.time.now < this.isNamelessUntil) return { kind: "failed", why: "no nameserver answers" };
    return { kind: "found", addresses: this.names.get(name) ?? [], ttlMs: 1_000 };
  }

  #add(number: number, hasOwnNginx: boolean, chance: Chance): void {
    const replica = new Replica(
      {
        ...this.#given,
        ...{ time: this.time, server: this.server },
        names: (name) => this.lookUp(name),
        note: (words) => this.note(words),
        changed: (one, what) => {
          this.note(`${one.name} ${what}`);
          this.judge.look();
        },
        started: (one) => this.judge.started(one),
        ended: (one, why) => this.judge.ended(one.name, why),
      },
      { name: `sluice-${number}`, seed: this.#history.seed * 10 + number, hasOwnNginx },
    );
    this.#replicas.push(replica);
    this.server.put({
      ...{
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: replica.name, namespace: "sluice", labels: { app: "sluice" } },
      },
    });
    this.judge.follow(replica);
    this.time.after(chance.below(3_000), () => {
      this.trouble(replica, 10_000);
      replica.start();
    });
  }

  #take({ is, name, pick }: History["steps"][number]): void {
    const found = (is === "user" ? users : faults).find((one) => one.name === name);
    const took = found?.run(this, new Chance(pick));
    if (took === false) return;
    this.count(`${is} ${name}`);
    this.note(`${is}: ${name}`);
    this.judge.look();
  }

  /** Lets five minutes pass, in which nothing happens, and looks for what is left over. */
  async #forget(isOver: () => boolean): Promise<void> {
    for (const kind of ["HTTPRoute", "Ingress"]) {
      for (const { metadata } of this.server.all(kind))
        this.server.remove(kind, `${metadata.namespace}/${metadata.name}`);
      await this.time.runTo(this.time.now + 2 * promisedMs, isOver);
    }
    await this.time.runTo(this.time.now + 300_000, isOver);
    if (!isOver()) this.judge.atRest();
  }
}
