/**
 * One level-triggered loop: a notice only says *look again*. Each turn translates and renders what there is now, publishes
 * the records at once, and asks for a reload only when the text differs and the token bucket allows. Records that name a
 * shape nginx does not have yet do not wait either: what they replace stays beside them until it has (passage.ts).
 */
import type { FeatureValues } from "../annotations/registry.ts";
import { type Clock, sleep } from "../clock.ts";
import type { Configuration } from "../model/configuration.ts";
import { nameOf } from "../model/objects.ts";
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import type { RenderedText, Renderer } from "../render/rendering.ts";
import type { Settings } from "../settings/registry.ts";
import { certificateProblems } from "../translate/doubtful.ts";
import { emptyLastGood, type LastGood } from "../translate/last-good.ts";
import type { Quarantine } from "../translate/quarantine.ts";
import type { Translation, Translator } from "../translate/translator.ts";
import { compare } from "./compare.ts";
import { Detention, type OwnConfigMaps } from "./detention.ts";
import { Passage } from "./passage.ts";
import type { ApplyOutcome, Change, Listener, Memory, Nginx, RecordChange, Source, State } from "./ports.ts";
import type { TokenBucket } from "./token-bucket.ts";

export interface SyncParts {
  readonly source: Source;
  readonly translator: Translator;
  readonly renderer: Renderer;
  readonly memory: Memory;
  readonly nginx: Nginx;
  readonly bucket: TokenBucket;
  readonly clock: Clock;
  readonly listener: Listener;
  readonly state: State;
  /** What is to be said about settings with the nginx at hand. */
  readonly problemsOf: (settings: Settings) => readonly Problem[];
  readonly configMaps: OwnConfigMaps;
}

/** What is known of a refusal beyond nginx's words. */
interface Refusal {
  readonly at?: { readonly line: number };
  readonly names?: string;
  readonly mayPass?: boolean;
}

/** How often it is looked whether the workers of older texts have gone. */
const tidyMs = 10_000;
const hourMs = 3_600_000;

export class Sync {
  readonly #parts: SyncParts;
  readonly #passage: Passage;
  /** Records that nginx has not got yet. */
  readonly #pending = new Map<string, { readonly value: string | undefined }>();
  readonly #settled: { readonly turn: number; resolve(): void; reject(cause: unknown): void }[] = [];
  /** What the listener was last told of. */
  #told: Snapshot | undefined;
  #configuration: Configuration<Settings, FeatureValues> | undefined;
  #lastGood: LastGood = emptyLastGood;
  #noticed: number | undefined;
  #wake: (() => void) | undefined;
  #notices = 0;
  #done = 0;
  #live: RenderedText | undefined;
  #liveSnapshot: Snapshot = emptySnapshot;
  #wanted: { readonly text: RenderedText; readonly snapshot: Snapshot } | undefined;
  readonly #detention: Detention;
  /** Generations that nginx refused since it last took one, and those of them that are not tried again. */
  readonly #tried = new Set<string>();
  #refused: ReadonlySet<string> = new Set();
  #reloading: Promise<void> | undefined;
  /** What nginx is being given. */
  #coming: RenderedText | undefined;
  #tidying = false;
  /** Whether shared memory had no room the last time. */
  #isFull = false;
  #failures = 0;
  #stopLooking: (() => void) | undefined;
  /** Whether the disk lacks records that were to be kept. */
  #unkept = false;

  constructor(parts: SyncParts) {
    this.#parts = parts;
    const kept = parts.state.load();
    this.#lastGood = kept.lastGood;
    this.#detention = new Detention(parts.configMaps, kept.quarantine);
    this.#passage = new Passage(parts.memory.records);
  }

  /** Says that something may have changed. */
  notice(): void {
    this.#notices++;
    this.#noticed ??= this.#parts.clock.now();
    this.#wake?.();
  }

  /** What nginx serves now, if it serves anything of ours. */
  get live(): RenderedText | undefined {
    return this.#live;
  }

  /** What nginx refused and what is set aside for it. */
  get quarantine(): Quarantine {
    return this.#detention.quarantine;
  }

  /** Whether nginx serves another text than the newest that is wanted. */
  get isBehind(): boolean {
    return this.#wanted !== undefined && this.#wanted.text.generation !== this.#live?.generation;
  }

  /** What the last turn translated; undefined before the first. */
  get configuration(): Configuration<Settings, FeatureValues> | undefined {
    return this.#configuration;
  }

  /** Resolves when everything noticed so far is live, or was refused; rejects when the sync ends before. */
  settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settled.push({ turn: this.#notices, resolve, reject });
      this.#wake?.();
    });
  }

  /** Works until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#parts.source.onChange(() => this.notice());
    const wake = () => this.#wake?.();
    signal.addEventListener("abort", wake);
    this.notice();
    this.#lookHourly();
    try {
      await this.#everythingKnown(signal);
      while (!signal.aborted) {
        if (this.#noticed === undefined) await this.#sleep();
        else await this.#turn(signal);
      }
      await this.#reloading;
    } catch (cause) {
      for (const waiter of this.#settled.splice(0)) waiter.reject(cause);
      throw cause;
    } finally {
      signal.removeEventListener("abort", wake);
      this.#stopLooking?.();
      stop();
    }
  }

  /** Certificates go out of date by themselves, and who is on call should hear of it. */
  #lookHourly(): void {
    this.#stopLooking = this.#parts.clock.schedule(hourMs, () => {
      this.notice();
      this.#lookHourly();
    });
  }

  /** A Snapshot that lacks what has not been listed yet would take it from an nginx that serves it. */
  async #everythingKnown(signal: AbortSignal): Promise<void> {
    const { synced } = this.#parts.source;
    if (synced === undefined || signal.aborted) return;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([synced, aborted]);
  }

  async #sleep(): Promise<void> {
    this.#settle();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { source, translator, renderer, memory, nginx, clock, listener } = this.#parts;
    const noticedMs = this.#noticed ?? clock.now();
    const notices = this.#notices;
    this.#noticed = undefined;
    const begun = clock.now();
    const snapshot = source.snapshot();
    this.#detention.review(snapshot);
    const { quarantine } = this.#detention;
    const translation = translator.turn({ snapshot, lastGood: this.#lastGood, quarantine });
    this.#lastGood = translation.lastGood;
    const unsaved = await written(this.#parts.state.save({ lastGood: this.#lastGood, quarantine }));
    this.#configuration = translation.configuration;
    const translated = clock.now();
    const { text, records, opened } = renderer.render(
      translation.configuration as Configuration<Settings, FeatureValues>,
    );
    const rendered = clock.now();
    listener.problems(this.#withDoubts(translation));

    const change = compare(this.#live, text, records.size);
    const unopened = await written(nginx.keepOpened(opened));
    const runs = this.#live !== undefined || (await memory.isOurs());
    // No reload may begin in between: whichever does has either the text before, which is known here, or this one.
    this.#wanted = { text, snapshot };
    const texts = runs ? { running: this.#live?.shapes, coming: this.#coming?.shapes } : undefined;
    const changes = this.#passage.take(records, memory.records, texts);
    if (this.#passage.isOn && !nginx.hasOlderWorkers()) changes.push(...this.#passage.forget());
    this.#tidyLater();
    const toKeep = changes.length > 0 || this.#unkept;
    const unkept = toKeep ? await written(memory.keep(changes)) : undefined;
    this.#unkept = unkept !== undefined;
    // A record that names a file waits until the file is there; all else is live although the disk is full.
    const published = await this.#publish(changes, runs && unopened === undefined);
    this.#done = notices;
    const report = {
      change,
      records: published,
      translateMs: translated - begun,
      renderMs: rendered - translated,
      publishMs: clock.now() - rendered,
    };
    const tell = (reload?: ApplyOutcome): void => {
      const tookMs = clock.now() - noticedMs;
      listener.synced(reload === undefined ? { ...report, tookMs } : { ...report, reload, tookMs });
    };
    const unwritten = unsaved ?? unopened ?? unkept;
    if (unwritten !== undefined) {
      this.#told = snapshot;
      tell({ kind: "unreachable", cause: new Error(`the run folder cannot be written: ${unwritten.message}`) });
      return this.#again();
    }
    const isRefused = this.#refused.has(text.generation);
    const news = snapshot !== this.#told || (change.kind !== "none" && !isRefused);
    this.#told = snapshot;
    if (text.generation === this.#live?.generation || isRefused) {
      if (news) tell();
      if (!isRefused && this.#reloading === undefined) this.#alreadyServed(snapshot);
      return;
    }
    if (!this.#reloadWhenAllowed(signal, tell) && news) tell();
  }

  /** nginx serves this text already. In a hunt that means: without those who are set aside, so that some are given back. */
  #alreadyServed(snapshot: Snapshot): void {
    const goOn = this.#detention.accepted(snapshot, this.#liveSnapshot, this.#lastGood);
    this.#liveSnapshot = snapshot;
    if (goOn === undefined) return;
    this.#lastGood = goOn;
    this.notice();
  }

  /** Problems that depend on the time of day or on this nginx, which translate knows nothing of. */
  #withDoubts({ problems, configuration }: Translation): Table<readonly Problem[]> {
    const doubts = certificateProblems(configuration.certificates.values(), new Date(this.#parts.clock.wall()));
    const useless = this.#parts.problemsOf(configuration.settings);
    const full = this.#isFull ? [this.#fullProblem()] : [];
    if (useless.length + full.length > 0) doubts.set("nginx", [...useless, ...full]);
    return doubts.size === 0 ? problems : problems.with(doubts);
  }

  #fullProblem(): Problem {
    const object = { kind: "ConfigMap", ...nameOf(this.#parts.configMaps.settings ?? "") };
    return { object, kind: "memory-full", bytes: Number(this.#live?.parts["shared memory size"] ?? 0) };
  }

  /** Records that were replaced go when nobody needs them, which no notice says. */
  #tidyLater(): void {
    if (this.#tidying || !this.#passage.isOn) return;
    this.#tidying = true;
    this.#parts.clock.schedule(tidyMs, () => {
      this.#tidying = false;
      this.notice();
    });
  }

  /** Gives nginx the changes, and those it could not be given before, if it `runs`; tells how many of each sort it has now. */
  async #publish(changes: readonly RecordChange[], runs: boolean): Promise<Record<string, number>> {
    const { memory, renderer } = this.#parts;
    const counts: Record<string, number> = {};
    for (const [key, value] of changes) this.#pending.set(key, { value });
    if (!runs || this.#pending.size === 0) return counts;
    const given = [...this.#pending];
    const outcome = await memory.publish(given.map(([key, { value }]) => [key, value] as const));
    if (outcome.kind === "full") renderer.enlarge();
    this.#isFull = outcome.kind === "full";
    if (outcome.kind !== "published") {
      this.#again();
      return counts;
    }
    for (const [key, record] of given) {
      if (this.#pending.get(key) === record) this.#pending.delete(key);
      const sort = key.slice(0, key.indexOf(" "));
      if (sort !== "before") counts[sort] = (counts[sort] ?? 0) + 1;
    }
    return counts;
  }

  /** Whether it begins now: otherwise it waits for another reload or for the token bucket. */
  #reloadWhenAllowed(signal: AbortSignal, done: (outcome: ApplyOutcome) => void): boolean {
    const { bucket, clock } = this.#parts;
    if (this.#reloading !== undefined) return false;
    const wait = bucket.waitMs(clock.now());
    this.#reloading = (async () => {
      if (wait > 0) await sleep(clock, wait, signal);
      if (signal.aborted) return;
      bucket.take(clock.now());
      const outcome = await this.#reload(signal);
      // A refusal changes nothing for the workers, and the rest must not wait for somebody's mistake.
      if (outcome.kind === "refused") bucket.refund();
      done(outcome);
    })().finally(() => {
      this.#reloading = undefined;
      this.#noticed ??= clock.now();
      this.#wake?.();
    });
    return wait === 0;
  }

  /** Applies the newest text, whatever it was when the reload was asked for. */
  async #reload(signal: AbortSignal): Promise<ApplyOutcome> {
    const { nginx, memory } = this.#parts;
    const { text, snapshot } = this.#wanted!;
    this.#coming = text;
    const outcome = await nginx.apply(text, signal);
    this.#coming = undefined;
    if (outcome.kind === "reloaded" || outcome.kind === "unchanged") {
      const first = this.#live === undefined;
      const before = this.#liveSnapshot;
      this.#live = text;
      this.#liveSnapshot = snapshot;
      this.#tried.clear();
      this.#refused = new Set();
      this.#failures = 0;
      if (first || !(await memory.isOurs())) await this.#publish([...memory.records], true);
      this.#lastGood = this.#detention.accepted(snapshot, before, this.#lastGood) ?? this.#lastGood;
    } else if (outcome.kind === "refused") {
      this.#setAside(outcome, outcome.stderr, text, snapshot);
    } else if (outcome.names !== undefined && this.#live !== undefined) {
      this.#setAside({ ...outcome, mayPass: true }, outcome.cause.message, text, snapshot);
    } else {
      this.#again();
    }
    return outcome;
  }

  /** Goes on without whoever is at fault; where nobody is, with another text, or later with the same where that may do then. */
  #setAside({ at, names, mayPass = false }: Refusal, stderr: string, { conf, generation }: RenderedText, of: Snapshot) {
    const { records } = this.#parts.renderer;
    const refused = { stderr, line: at?.line, names, mayPass, conf, records };
    const goOn = this.#detention.refused(refused, of, this.#liveSnapshot, this.#lastGood);
    this.#tried.add(generation);
    if (goOn !== undefined) this.#lastGood = goOn;
    else if (mayPass) this.#again();
    else this.#refused = new Set(this.#tried);
  }

  /** Tries again what did not work for a reason outside the configuration, later each time. */
  #again(): void {
    const waitMs = Math.min(10_000, 200 * 2 ** this.#failures++);
    this.#parts.clock.schedule(waitMs, () => this.notice());
  }

  #settle(): void {
    if (this.#reloading !== undefined || this.#noticed !== undefined) return;
    for (const waiter of this.#settled.splice(0)) {
      if (waiter.turn <= this.#done) waiter.resolve();
      else this.#settled.push(waiter);
    }
  }
}

/** Why a write to the disk failed: a full disk or a read-only one is no reason to end. Anything else is a bug, and throws. */
async function written(write: Promise<void>): Promise<Error | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return error;
    throw error;
  }
}

export type { Change };
