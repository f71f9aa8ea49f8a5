/**
 * One level-triggered loop: a wake-up only starts another turn. Each turn translates and renders
 * the present state, publishes the records at once, and requests a reload only when the text
 * differs and the token bucket allows it. Records that name a shape that nginx does not have yet
 * are published as well: their previous versions stay beside them until it has (route-handover.ts).
 */
import { guarded } from "../../base/guarded.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { every } from "../../base/timing/every.ts";
import { OneAtATime } from "../../base/timing/one-at-a-time.ts";
import type { TokenBucket } from "../../base/timing/token-bucket.ts";
import type { Configuration } from "../model/configuration.ts";
import type { Problem } from "../model/problem.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { FeatureValues } from "../policies/registry.ts";
import { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { RenderedText } from "../render/rendering.ts";
import type { Settings } from "../settings/registry.ts";
import { hourMs } from "../table/hosts/certificate-doubts.ts";
import { hasSuspects, type Quarantine, reduced, withoutSuspects } from "../table/quarantine.ts";
import { Applying, type Ending } from "./applying.ts";
import { compare } from "./compare.ts";
import { FailedTurns } from "./failed-turns.ts";
import { type Candidate, Generations } from "./generations.ts";
import { Making, type MakingParts } from "./making.ts";
import { PortRetries } from "./port-retries.ts";
import type { ApplyOutcome, Listener, Nginx, Source, SyncReport } from "./ports.ts";
import { RecordDelivery, type RecordDeliveryParts } from "./record-delivery.ts";
import { Reloads } from "./reloads.ts";
import { Retry } from "./retry.ts";
import { TurnProblems, type TurnProblemsParts } from "./turn-problems.ts";
import { WakeUps } from "./wake-ups.ts";

export interface SyncParts extends RecordDeliveryParts, TurnProblemsParts, MakingParts {
  readonly source: Source;
  readonly nginx: Nginx;
  readonly bucket: TokenBucket;
  readonly clock: Clock;
  readonly listener: Listener;
}

/** Reports a turn to the listener, with the reload that it caused. */
type Report = (reload?: ApplyOutcome) => void;

/** Delays before nginx is reloaded again, which takes tokens that the next change will need. */
const reloadDelays = { floorMs: 1_000, ceilingMs: 30_000 };

export class Sync {
  readonly #parts: SyncParts;
  readonly #wakeUps: WakeUps;
  readonly #generations = new Generations();
  readonly #delivery: RecordDelivery;
  readonly #keeper: QuarantineKeeper;
  readonly #applying: Applying;
  readonly #reloads: Reloads;
  readonly #reloadRetry: Retry;
  readonly #problems: TurnProblems;
  /** A text and its records go together. */
  readonly #order = new OneAtATime();
  readonly #making: Making;
  readonly #failures: FailedTurns;
  /** The Snapshot of the last report to the listener. */
  #reported: Snapshot | undefined;
  /** Whether the last report was a failure, after which nginx lacks the wanted text. */
  #reportedFailure = false;
  #hasCaughtUp = false;
  /** Whether the disk refused a write of the last turn. */
  #isUnwritten = false;

  constructor(parts: SyncParts) {
    this.#parts = parts;
    this.#wakeUps = new WakeUps(parts.clock);
    this.#keeper = new QuarantineKeeper(parts.configMaps, parts.state.load());
    this.#making = new Making(parts, this.#keeper);
    this.#failures = new FailedTurns(parts.clock, () => this.wakeUp());
    this.#delivery = new RecordDelivery(parts, this.#generations, () => this.wakeUp());
    this.#applying = new Applying(parts, this.#generations, this.#keeper);
    this.#reloads = new Reloads(parts.bucket, parts.clock, () => this.#wakeUps.lookAgain());
    this.#problems = new TurnProblems(parts);
    this.#reloadRetry = new Retry(parts.clock, reloadDelays, () => {
      this.#generations.retryNow();
      this.wakeUp();
    });
  }

  /** Requests a turn, because something may have changed. */
  wakeUp(): void {
    this.#wakeUps.request();
  }

  /** The text that nginx serves now, if it serves one of ours. */
  get live(): RenderedText | undefined {
    return this.#generations.live;
  }

  /** Refused objects, with the suspects of a search that still runs. */
  get quarantine(): Quarantine {
    return this.#keeper.kept.quarantine;
  }

  /** Objects that nginx certainly refused. */
  get refusals(): Quarantine {
    return reduced(this.quarantine, withoutSuspects);
  }

  /** The Problems of last good forms that are in force although their object has a newer form. */
  get lastGood(): readonly Problem[] {
    return this.#problems.lastGood;
  }

  /** Whether nginx does not serve the newest wanted text. */
  get isBehind(): boolean {
    return this.#generations.isBehind;
  }
  /** Whether nginx has once served all of a complete Snapshot, except what it refuses. */
  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp;
  }

  /** The last turn's translation; undefined before the first. */
  get configuration(): Configuration<Settings, FeatureValues> | undefined {
    return this.#making.configuration;
  }

  /** Resolves when all changes so far are live or refused; rejects when the sync ends before. */
  settled(): Promise<void> {
    return this.#wakeUps.settled();
  }

  /** Restores records that another program has changed in memory, and returns their keys. */
  async audit(): Promise<readonly string[]> {
    const { memory } = this.#parts;
    if (this.live === undefined || this.#reloads.isOn || !(await memory.wasWritten?.())) return [];
    return this.#order.run(() => this.#delivery.repair(() => this.#reloads.isOn));
  }

  /** Runs until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#parts.source.onChange(() => this.wakeUp());
    const ring = () => this.#wakeUps.ring();
    signal.addEventListener("abort", ring);
    this.wakeUp();
    // Certificates expire while nothing changes, and this must be reported.
    const stopLooking = every(this.#parts.clock, hourMs, () => this.wakeUp());
    const stopRetries = new PortRetries(this.#parts, this.#keeper, () => this.wakeUp()).start();
    try {
      await everythingKnown(this.#parts.source, signal);
      while (!signal.aborted) {
        if (this.#wakeUps.isQuiet) await this.#wakeUps.sleep(!this.#reloads.isOn && !this.#generations.isWaiting);
        else await this.#turn(signal);
      }
      await this.#reloads.over();
    } catch (cause) {
      this.#wakeUps.fail(cause);
      throw cause;
    } finally {
      signal.removeEventListener("abort", ring);
      stopLooking();
      stopRetries();
      stop();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { source, clock, listener } = this.#parts;
    const { sinceMs, upTo } = this.#wakeUps.take();
    const snapshot = source.snapshot();
    const made = await this.#making.make(snapshot, {
      memoryFactor: this.#delivery.pressure.factor,
      isRefused: (generation) => this.#generations.isRefused(generation),
    });
    if (made instanceof Error) return this.#failed(made, snapshot, sinceMs);
    const { translation, rendered, quarantine, unsaved, translateMs, renderMs } = made;
    const madeAt = clock.now();
    const memory = this.#delivery.pressure.problems(this.#parts.configMaps.settings ?? "");
    guarded(
      () => {
        // A search also sets aside, for a moment, objects that are not the cause. Their Problems
        // would disappear and appear again, so only the result of the search is reported.
        if (!hasSuspects(this.quarantine))
          listener.problems(this.#problems.of({ translation, rendered, snapshot, memory }));
        this.#failures.over();
      },
      (bug) => this.#failed(bug, snapshot, sinceMs),
    );
    const change = compare(this.live, rendered.text, rendered.records.size);
    const candidate = { text: rendered.text, snapshot, statuses: translation.statuses };
    const { counts, unwritten } = await this.#order.run(() => this.#delivery.deliver(rendered, candidate));
    this.#wakeUps.handled(upTo);
    const failed = unsaved ?? unwritten;
    const measured = { translateMs, renderMs, publishMs: clock.now() - madeAt, ...(failed && { unwritten: failed }) };
    const report: Report = (reload) => {
      const tookMs = clock.now() - sinceMs;
      if (reload !== undefined) this.#reportedFailure = reload.kind === "refused" || reload.kind === "unreachable";
      else if (change.kind !== "reload") this.#reportedFailure = false;
      listener.synced({ change, records: counts, ...measured, tookMs, ...(reload && { reload }) });
    };
    if (failed !== undefined) this.#delivery.retryLater();
    if (failed === undefined || this.#isLive(candidate)) {
      if (this.#isUnwritten !== (failed !== undefined)) this.#reported = undefined;
      this.#isUnwritten = failed !== undefined;
      // If nginx has accepted or refused a text meanwhile, this text was made with the previous
      // quarantine. It is not tried, and a turn with the new quarantine follows.
      if (this.quarantine === quarantine) this.#reloadIfNeeded(candidate, change, report, signal);
      listener.statuses?.(candidate.statuses, "made");
      // While a reload waits or runs, nginx may not serve the live text.
      if (!this.#reloads.isOn) await this.#reportLive(candidate);
      return;
    }
    this.#reported = snapshot;
    report({ kind: "unreachable", cause: new Error(`the run folder cannot be written: ${failed.message}`) });
  }

  /**
   * Handles an exception before anything was written. A later exception ends the controller,
   * because nginx's state is unknown then.
   */
  #failed(cause: Error, snapshot: Snapshot, sinceMs: number): void {
    const { clock, listener } = this.#parts;
    const report = this.#failures.note(cause, snapshot, clock.now() - sinceMs);
    if (report === undefined) return;
    this.#reportedFailure = true;
    listener.synced(report);
  }

  /** Whether nginx serves the text, and has all records. */
  #isLive({ text }: Candidate): boolean {
    return this.live?.generation === text.generation && this.#delivery.isDone;
  }

  async #reportLive(candidate: Candidate): Promise<void> {
    const { memory, listener } = this.#parts;
    const isLive = this.#isLive(candidate);
    const isOver = isLive || this.#generations.stateOf(candidate.text.generation) === "given up";
    if (isOver && !this.#hasCaughtUp) {
      // An nginx that an earlier process has left may have more records than these.
      if (await memory.wasWritten?.()) await this.#order.run(() => this.#delivery.repair(() => false));
      this.#hasCaughtUp = true;
    }
    if (isLive) listener.statuses?.(candidate.statuses, "live");
  }

  /** Decides what follows the records: a reload now or later, or none. */
  #reloadIfNeeded(candidate: Candidate, change: SyncReport["change"], report: Report, signal: AbortSignal): void {
    const { text, snapshot } = candidate;
    const state = this.#generations.stateOf(text.generation);
    const isGivenUp = state === "given up";
    const isNews = snapshot !== this.#reported || (change.kind !== "none" && !isGivenUp);
    this.#reported = snapshot;
    if (state === "live" || isGivenUp) {
      if (isNews) report();
      if (!this.#reloads.isOn) isGivenUp ? this.#alreadyRefused() : this.#alreadyServed(snapshot, report);
      return;
    }
    const beginsNow = state !== "retry" && this.#reloads.ask(() => this.#reload(signal), report, signal);
    if (!beginsNow && isNews) report();
  }

  /**
   * Handles a text that nginx serves already. During a search that means that it accepted the text
   * without the suspects, so some of these are restored.
   */
  #alreadyServed(snapshot: Snapshot, report: Report): void {
    const goesOn = this.#keeper.accepted(snapshot, this.#generations.liveSnapshot);
    this.#generations.servesAlso(snapshot);
    if (goesOn) this.wakeUp();
    // The cause is set aside and everything else is served, so the failure is over although no
    // reload reports that.
    else if (this.#reportedFailure) report();
  }

  /**
   * Handles a text that nginx refused before. During a search that means that the present suspects
   * are not the cause.
   */
  #alreadyRefused(): void {
    if (!this.#keeper.inVain()) return;
    this.#generations.giveUp();
    this.wakeUp();
  }

  /** Applies the newest text, which may be newer than the request for the reload. */
  async #reload(signal: AbortSignal): Promise<Ending> {
    // Its records are delivered first: otherwise its workers would use earlier routes, whose shapes
    // they lack.
    const candidate = await this.#order.run(() => {
      this.#delivery.reloadBegins();
      return this.#generations.begin();
    });
    const ending = await this.#applying.apply(candidate, signal);
    if (ending.kind === "served") {
      this.#reloadRetry.reset();
      await this.#delivery.reloadEnds(ending.started, ending.lacksRecords);
      await this.#reportLive(candidate);
    }
    if (ending.retries) this.#reloadRetry.schedule();
    return ending;
  }
}

/**
 * Waits for the complete Snapshot, or until `signal` is aborted. An incomplete one would remove
 * objects from nginx that were not listed yet.
 */
async function everythingKnown({ synced }: Source, signal: AbortSignal): Promise<void> {
  if (synced === undefined || signal.aborted) return;
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([synced, aborted]);
}
