/**
 * Judges the rules of `rules.ts` at each event. It knows for each replica since when its nginx may
 * answer as before: 5 s, or longer while a fault and its aftermath last.
 */
import { type Answer, decided, type Probe, unfilled } from "./answers.ts";
import type { Write } from "./api/server.ts";
import type { Generation } from "./machine/nginx.ts";
import { type Serving, workerOf } from "./machine/serving.ts";
import type { ApiState } from "./oracle.ts";
import type { Replica } from "./replica.ts";
import { rules } from "./rules.ts";
import { promisedMs, type World } from "./world.ts";

export interface Broken {
  readonly rule: string;
  readonly words: string;
  readonly at: number;
}

/** The state of a replica as far as the rules need it. */
export interface Followed {
  readonly replica: Replica;
  /** While this is in the future, answers may be as old as `asOf`. */
  troubledUntil: number;
  asOf: number;
  /** Until then a crash may lose changes, because the disk has not taken them. */
  forgivenUntil: number;
  /** Records that were published after this moment may be lost with the power. */
  unsyncedSince: number;
  /** What was judged last of the workers of each generation. */
  readonly looked: WeakMap<Generation, readonly unknown[]>;
  /** The end of the last fault between the replica and the API server. */
  apiTroubledUntil: number;
  /** The program that was ready. */
  ready: Replica["program"];
}

/** An answer of the workers of one generation. */
export interface Given {
  readonly world: World;
  readonly followed: Followed;
  readonly generation: Generation;
  readonly probe: Probe;
  readonly answer: Answer;
  /** The states of which the answer may be. */
  readonly states: readonly ApiState[];
  /** Whether the replica is ready, so that it gets requests at all. */
  readonly isReady: boolean;
}

/** Each rule looks at one of these, and returns what is wrong. */
export interface Rule {
  readonly name: string;
  readonly answer?: (given: Given) => string | undefined | "unjudged";
  readonly write?: (world: World, write: Write) => string | undefined | "unjudged";
  readonly ready?: (world: World, followed: Followed) => string | undefined | "unjudged";
  readonly started?: (world: World, followed: Followed) => string | undefined | "unjudged";
  readonly end?: (world: World) => string | undefined | "unjudged";
  readonly rest?: (world: World) => string | undefined | "unjudged";
}

const readyEveryMs = 500;

export class Judge {
  readonly #world: World;
  readonly #followed: Followed[] = [];
  readonly #answers = new WeakMap<Generation, { version: string; answers: ReadonlyMap<Probe, Answer> }>();
  broken: Broken | undefined;
  /** The moment at which a user changed the Lease; no rule about leaders holds right after it. */
  leaseTakenAt = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
    world.server.onWrite = (write) => this.#judge("write", (rule) => rule.write?.(world, write));
  }

  get followed(): readonly Followed[] {
    return this.#followed;
  }

  follow(replica: Replica): void {
    const followed: Followed = {
      ...{
        replica,
        troubledUntil: 0,
        asOf: 0,
        apiTroubledUntil: 0,
        looked: new WeakMap<Generation, readonly unknown[]>(),
        forgivenUntil: 0,
        unsyncedSince: Number.POSITIVE_INFINITY,
        ready: undefined,
      },
    };
    this.#followed.push(followed);
    const look = () => {
      this.#lookIfReady(followed);
      this.#world.time.after(readyEveryMs, look);
    };
    this.#world.time.after(readyEveryMs, look);
  }

  trouble(replica: Replica, until: number): void {
    const followed = this.#of(replica);
    const { now } = this.#world.time;
    if (followed.troubledUntil < now) followed.asOf = now - promisedMs;
    followed.troubledUntil = Math.max(followed.troubledUntil, until);
  }

  /** A replica may be unable to read the API for this time. */
  apiTrouble(replica: Replica, ms: number): void {
    const followed = this.#of(replica);
    followed.apiTroubledUntil = Math.max(followed.apiTroubledUntil, this.#world.time.now + ms);
  }

  /** Until then a crash may lose changes. */
  forgive(replica: Replica, ms: number): void {
    const followed = this.#of(replica);
    followed.forgivenUntil = Math.max(followed.forgivenUntil, this.#world.time.now + ms);
  }

  /** A loss of power may take what the last sync did not cover. */
  forgiveUnsynced(replica: Replica): void {
    this.#of(replica).unsyncedSince = this.#world.time.now - 200;
  }

  /** A replica's nginx has filled a new memory. */
  started(replica: Replica): void {
    const followed = this.#of(replica);
    this.#judge("started", (rule) => rule.started?.(this.#world, followed));
    followed.unsyncedSince = Number.POSITIVE_INFINITY;
  }

  /** Whether no fault has kept the replica from reading the API since then. */
  apiWasThere(followed: Followed, since: number): boolean {
    return followed.apiTroubledUntil < since;
  }

  leaseTaken(): void {
    this.leaseTakenAt = this.#world.time.now;
  }

  ended(name: string, why: string): void {
    this.#break("no program ends by itself", `${name}: ${why}`);
  }

  /** Returns what the replica has seen, as far as all of it is of these states; newest first. */
  mixes({ replica }: Followed, states: readonly ApiState[]): readonly ApiState[] {
    return replica.seen.toReversed().flatMap((snapshot) => this.#world.oracle.mixed(snapshot, states) ?? []);
  }

  /** Returns the states of which an answer of this replica may be, oldest first. */
  statesOf({ troubledUntil, asOf }: Followed): readonly ApiState[] {
    const { time, oracle } = this.#world;
    return oracle.from(time.now <= troubledUntil ? asOf : time.now - promisedMs);
  }

  /** Looks at all answers of all replicas. */
  look(): void {
    if (this.broken !== undefined) return;
    for (const followed of this.#followed) this.#lookAt(followed);
  }

  atEnd(): void {
    this.#judge("end", (rule) => rule.end?.(this.#world));
  }

  atRest(): void {
    this.#judge("rest", (rule) => rule.rest?.(this.#world));
  }

  /** Returns what the workers of a generation answer. It is kept until their records change. */
  answers({ replica }: Followed, generation: Generation): ReadonlyMap<Probe, Answer> {
    const { meanings } = replica;
    const version = `${generation.memory.writing} ${meanings.turns}`;
    const known = this.#answers.get(generation);
    if (known?.version === version) return known.answers;
    const { ways, certificate } = workerOf(generation, meanings);
    const answers = new Map(
      this.#world.probes.map((probe) => [probe, answerOf(ways, probe, certificate(probe.host))] as const),
    );
    this.#answers.set(generation, { version, answers });
    return answers;
  }

  #lookAt(followed: Followed): void {
    const world = this.#world;
    const states = this.statesOf(followed);
    const { ready, replica } = followed;
    const isReady = ready !== undefined && ready === replica.program;
    for (const generation of replica.nginx.accepting) {
      const answers = this.answers(followed, generation);
      const looked = [answers, states.length, states[0], states.at(-1), isReady];
      const last = followed.looked.get(generation);
      if (last?.every((one, at) => one === looked[at])) continue;
      followed.looked.set(generation, looked);
      for (const [probe, answer] of answers) {
        if ((world.doubtful.get(probe.host) ?? 0) >= world.time.now || (answer === unfilled && !isReady)) continue;
        const given = { world, followed, generation, probe, answer, states, isReady };
        this.#judge("answer", (rule) => rule.answer?.(given));
        if (this.broken !== undefined) return;
      }
    }
  }

  #lookIfReady(followed: Followed): void {
    const { program } = followed.replica;
    if (program === undefined || this.broken !== undefined) return;
    program.isReady().then((isReady) => {
      if (!isReady || program.isDead || followed.ready === program) return;
      followed.ready = program;
      this.#world.note(`${followed.replica.name} is ready`);
      this.#judge("ready", (rule) => rule.ready?.(this.#world, followed));
    });
  }

  #judge(_at: string, judged: (rule: Rule) => string | undefined | "unjudged"): void {
    for (const rule of rules) {
      const has = judged(rule);
      if (has === "unjudged" || (has === undefined && !isAbout(rule, _at))) continue;
      this.#world.count(`rule ${rule.name}`);
      if (has === undefined) continue;
      this.#break(rule.name, has);
      return;
    }
  }

  #break(rule: string, words: string): void {
    if (this.broken !== undefined) return;
    this.broken = { rule, words, at: this.#world.time.now };
    this.#world.note(`broken: ${rule}: ${words}`);
  }

  #of(replica: Replica): Followed {
    return this.#followed.find((one) => one.replica === replica)!;
  }
}

function answerOf(ways: readonly Serving[], probe: Probe, certificate: string | undefined): Answer {
  for (const way of ways) {
    const { answer, location } = decided(way.served, probe, certificate);
    if (location === undefined || way.serves(location))
      return way.isFormer(probe.host) ? { ...answer, isFormer: true } : answer;
  }
  return ways.length === 0 ? unfilled : { ...unfilled, way: "500: the text lacks the shape" };
}

const isAbout = (rule: Rule, at: string): boolean => at in rule;
