/**
 * One level-triggered loop: a notice only says *look again*. Each turn translates and renders what there is now, publishes
 * the records at once, and asks for a reload only when the text differs and the token bucket allows. Records that name a
 * shape nginx does not have yet do not wait either: what they replace stays beside them until it has (route-handover.ts).
 */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Configuration } from "../model/configuration.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { ObjectName, Problem } from "../problem.ts";
import { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { OwnConfigMaps } from "../quarantine/suspects.ts";
import type { Rendered, RenderedText, Renderer } from "../render/rendering.ts";
import type { Settings } from "../settings/registry.ts";
import type { Clock } from "../timing/clock.ts";
import { OneAtATime } from "../timing/one-at-a-time.ts";
import type { TokenBucket } from "../timing/token-bucket.ts";
import { CertificateDoubts, hourMs } from "../translate/hosts/certificate-doubts.ts";
import { LastGoodNotes } from "../translate/last-good-notes.ts";
import { type Quarantine, reduced, withoutSuspects } from "../translate/quarantine.ts";
import type { Translation, Translator } from "../translate/translator.ts";
import { Applying } from "./applying.ts";
import { compare } from "./compare.ts";
import { type Candidate, Generations } from "./generations.ts";
import type { ApplyOutcome, Listener, Memory, Nginx, RecordChange, Source, State, SyncReport } from "./ports.ts";
import { type Published, RecordPublisher } from "./record-publisher.ts";
import { Reloads } from "./reloads.ts";
import { Retry } from "./retry.ts";
import { RouteHandover } from "./route-handover.ts";
import { WakeUps } from "./wake-ups.ts";
import { written } from "./written.ts";

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

/** Tells the listener what became of a turn, with the reload that it took. */
type Tell = (reload?: ApplyOutcome) => void;

/** How often it is looked whether the workers of older texts have gone. */
const tidyMs = 10_000;

/** How long after a failure something is written again, and nginx is reloaded again, which takes tokens that the next change will want. */
const writeRetry = { floorMs: 200, ceilingMs: 10_000 };
const reloadRetry = { floorMs: 1_000, ceilingMs: 30_000 };

export class Sync {
  readonly #parts: SyncParts;
  readonly #wakeUps: WakeUps;
  readonly #generations = new Generations();
  readonly #handover: RouteHandover;
  readonly #publisher: RecordPublisher;
  readonly #keeper: QuarantineKeeper;
  readonly #applying: Applying;
  readonly #reloads: Reloads;
  /** A text and its records go together. */
  readonly #order = new OneAtATime();
  #configuration: Configuration<Settings, FeatureValues> | undefined;
  readonly #doubts = new CertificateDoubts();
  readonly #lastGoodNotes = new LastGoodNotes();
  /** What the listener was last told of. */
  #told: Snapshot | undefined;
  /** Whether the last report to the listener says that nginx does not have what is wanted. */
  #toldOfFailure = false;
  #tidying = false;
  readonly #writeRetry: Retry;
  readonly #reloadRetry: Retry;
  /** Whether the disk lacks records that were to be kept. */
  #unkept = false;

  constructor(parts: SyncParts) {
    this.#parts = parts;
    this.#wakeUps = new WakeUps(parts.clock);
    this.#keeper = new QuarantineKeeper(parts.configMaps, parts.state.load());
    this.#handover = new RouteHandover(parts.memory.records);
    this.#publisher = new RecordPublisher(parts.memory);
    this.#applying = new Applying(parts, this.#generations, this.#keeper);
    this.#reloads = new Reloads(parts.bucket, parts.clock, () => this.#wakeUps.lookAgain());
    this.#writeRetry = new Retry(parts.clock, writeRetry, () => this.wakeUp());
    this.#reloadRetry = new Retry(parts.clock, reloadRetry, () => {
      this.#generations.rouse();
      this.wakeUp();
    });
  }

  /** Says that something may have changed. */
  wakeUp(): void {
    this.#wakeUps.request();
  }

  /** What nginx serves now, if it serves anything of ours. */
  get live(): RenderedText | undefined {
    return this.#generations.live;
  }

  /** What nginx refused, and what is set aside for it while the author is looked for. */
  get quarantine(): Quarantine {
    return this.#keeper.kept.quarantine;
  }

  /** What is certain of the quarantine: suspects of a search that still runs are not in it. */
  get refusals(): Quarantine {
    return reduced(this.quarantine, withoutSuspects);
  }

  /** What is in force although its object has a newer form, by that object. */
  get lastGood(): readonly Problem[] {
    return [...this.#lastGoodNotes.said.values()].flat();
  }

  /** Whether nginx serves another text than the newest that is wanted. */
  get isBehind(): boolean {
    return this.#generations.isBehind;
  }

  /** What the last turn translated; undefined before the first. */
  get configuration(): Configuration<Settings, FeatureValues> | undefined {
    return this.#configuration;
  }

  /** Resolves when everything noticed so far is live, or was refused; rejects when the sync ends before. */
  settled(): Promise<void> {
    return this.#wakeUps.settled();
  }

  /** Puts right what nginx's memory holds otherwise than it was given, and returns the keys of those records. Looks only where something else wrote. */
  async audit(): Promise<readonly string[]> {
    const { memory } = this.#parts;
    if (this.live === undefined || this.#reloads.isOn || !(await memory.wasWritten?.())) return [];
    return this.#order.run(async () => {
      const found = this.#reloads.isOn ? [] : ((await memory.strange?.()) ?? []);
      const strange = found.filter((key) => !this.#publisher.isWaiting(key));
      const right = strange.map((key): RecordChange => [key, memory.records.get(key)]);
      if (right.length > 0 && !this.#reloads.isOn) await this.#publish(right, true);
      return strange;
    });
  }

  /** Works until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#parts.source.onChange(() => this.wakeUp());
    const wake = () => this.#wakeUps.ring();
    signal.addEventListener("abort", wake);
    this.wakeUp();
    const stopLooking = this.#lookHourly();
    try {
      await this.#everythingKnown(signal);
      while (!signal.aborted) {
        if (this.#wakeUps.isQuiet) await this.#wakeUps.sleep(!this.#reloads.isOn && !this.#generations.rests);
        else await this.#turn(signal);
      }
      await this.#reloads.over();
    } catch (cause) {
      this.#wakeUps.fail(cause);
      throw cause;
    } finally {
      signal.removeEventListener("abort", wake);
      stopLooking();
      stop();
    }
  }

  /** Certificates go out of date by themselves, and who is on call should hear of it. */
  #lookHourly(): () => void {
    const next = (): (() => void) =>
      this.#parts.clock.schedule(hourMs, () => {
        this.wakeUp();
        cancel = next();
      });
    let cancel = next();
    return () => cancel();
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

  async #turn(signal: AbortSignal): Promise<void> {
    const { source, renderer, clock, listener, state } = this.#parts;
    const { sinceMs, upTo } = this.#wakeUps.take();
    const begun = clock.now();
    const snapshot = source.snapshot();
    const translation = this.#translate(snapshot);
    const { quarantine } = this;
    const unsaved = await written(state.save(this.#keeper.kept));
    const translated = clock.now();
    const rendered = renderer.render(translation.configuration);
    const made = clock.now();
    listener.problems(this.#problemsOf(translation, snapshot).with(bugsIn(rendered)));
    const change = compare(this.live, rendered.text, rendered.records.size);
    const { counts, unwritten } = await this.#order.run(() => this.#bring(rendered, snapshot));
    this.#wakeUps.handled(upTo);
    const report = {
      change,
      records: counts,
      translateMs: translated - begun,
      renderMs: made - translated,
      publishMs: clock.now() - made,
    };
    const tell: Tell = (reload) => {
      const tookMs = clock.now() - sinceMs;
      if (reload !== undefined) this.#toldOfFailure = reload.kind === "refused" || reload.kind === "unreachable";
      else if (change.kind !== "reload") this.#toldOfFailure = false;
      listener.synced(reload === undefined ? { ...report, tookMs } : { ...report, reload, tookMs });
    };
    const failed = unsaved ?? unwritten;
    if (failed === undefined) {
      // nginx has judged a text meanwhile: what was made by the quarantine of before is not worth another try, and a turn comes that knows.
      if (this.quarantine === quarantine) this.#reloadIfNeeded({ text: rendered.text, snapshot }, change, tell, signal);
      return;
    }
    this.#told = snapshot;
    tell({ kind: "unreachable", cause: new Error(`the run folder cannot be written: ${failed.message}`) });
    this.#writeRetry.schedule();
  }

  #translate(snapshot: Snapshot): Translation {
    this.#keeper.review(snapshot);
    const translation = this.#parts.translator.turn({ snapshot, ...this.#keeper.kept });
    this.#keeper.keep(translation.lastGood);
    this.#configuration = translation.configuration;
    return translation;
  }

  /** While the author of a refusal is looked for, forms are set aside that may be innocent, so that nothing new is said of them. */
  get #isSearching(): boolean {
    return String(sizes(this.quarantine)) !== String(sizes(this.refusals));
  }

  /** Gives nginx what needs no reload. `unwritten` says why the disk could not be given all of it. */
  async #bring({ text, records, opened }: Rendered, snapshot: Snapshot) {
    const { memory, nginx, clock } = this.#parts;
    const unopened = await written(nginx.keepOpened(opened));
    const runs = this.live !== undefined || (await memory.isOurs());
    // No reload begins in between: whichever does has either the text before, which is known here, or this one and its records.
    this.#generations.want({ text, snapshot });
    const mayBeOlder = (this.#generations.hasOlder || this.#handover.keepsReplaced) && nginx.hasOlderWorkers();
    if (!mayBeOlder) this.#generations.olderGone();
    const changes = this.#handover.take(
      records,
      memory.records,
      runs ? this.#generations.shapes : undefined,
      clock.now(),
    );
    if (!mayBeOlder) changes.push(...this.#handover.forget());
    this.#tidyLater();
    const toKeep = changes.length > 0 || this.#unkept;
    const unkept = toKeep ? await written(memory.keep(changes)) : undefined;
    this.#unkept = unkept !== undefined;
    // A record that names a file waits until the file is there; all else is live although the disk is full.
    const counts = await this.#publish(changes, runs && unopened === undefined);
    return { counts, unwritten: unopened ?? unkept };
  }

  /** What comes after the records: a reload, now or later, or none. */
  #reloadIfNeeded(made: Candidate, change: SyncReport["change"], tell: Tell, signal: AbortSignal): void {
    const { text, snapshot } = made;
    const isGivenUp = this.#generations.isGivenUp(text);
    const isNews = snapshot !== this.#told || (change.kind !== "none" && !isGivenUp);
    this.#told = snapshot;
    if (this.#generations.isLive(text) || isGivenUp) {
      if (isNews) tell();
      if (!this.#reloads.isOn) isGivenUp ? this.#alreadyRefused() : this.#alreadyServed(snapshot, tell);
      return;
    }
    const beginsNow = !this.#generations.isResting(text) && this.#reloads.ask(() => this.#reload(signal), tell, signal);
    if (!beginsNow && isNews) tell();
  }

  /** nginx serves this text already. In a search that means: without those who are set aside, so that some are given back. */
  #alreadyServed(snapshot: Snapshot, tell: Tell): void {
    const goesOn = this.#keeper.accepted(snapshot, this.#generations.liveSnapshot);
    this.#generations.servesAlso(snapshot);
    if (goesOn) this.wakeUp();
    // What was at fault is set aside, and all that others want is served: the failure is over although no reload says so.
    else if (this.#toldOfFailure) tell();
  }

  /** nginx refused this text before, and nobody was at fault. In a search that means: those who are set aside now are not, either. */
  #alreadyRefused(): void {
    if (!this.#keeper.inVain()) return;
    this.#generations.giveUp();
    this.wakeUp();
  }

  /** With those that depend on the time of day or on this nginx, which translate knows nothing of. */
  #problemsOf({ problems, configuration, lastGood }: Translation, snapshot: Snapshot): Table<readonly Problem[]> {
    const { clock, problemsOf, configMaps } = this.#parts;
    const now = new Date(clock.wall());
    const doubts = this.#doubts.of(configuration.certificates, now);
    const kept = this.#isSearching
      ? this.#lastGoodNotes.said
      : this.#lastGoodNotes.of(lastGood, snapshot, settingsName(configMaps), now);
    const ofMemory = this.#publisher.pressure.problems(this.#parts.configMaps.settings ?? "");
    const ofNginx = [...problemsOf(configuration.settings), ...ofMemory];
    return problems.with([...doubts, ...kept, ...(ofNginx.length === 0 ? [] : [["nginx", ofNginx] as const])]);
  }

  /** Records that were replaced go when nobody needs them, which no notice says. */
  #tidyLater(): void {
    if (this.#tidying || !this.#handover.isPending) return;
    this.#tidying = true;
    this.#parts.clock.schedule(tidyMs, () => {
      this.#tidying = false;
      this.wakeUp();
    });
  }

  async #publish(changes: readonly RecordChange[], runs: boolean): Promise<Published["counts"]> {
    const { counts, outcome, grows } = await this.#publisher.publish(changes, runs);
    if (grows) {
      this.#parts.renderer.enlarge();
      this.wakeUp();
    }
    if (outcome === "full" || outcome === "unreachable") this.#writeRetry.schedule();
    return counts;
  }

  async #reload(signal: AbortSignal): Promise<ApplyOutcome> {
    // The newest text, whatever it was when the reload was asked for, as soon as nginx has been given what belongs to it: its workers would
    // meet routes of before, to shapes that it lacks.
    let isKept = false;
    const made = await this.#order.run(() => {
      this.#publisher.reloadBegins();
      isKept = !this.#unkept;
      return this.#generations.begin();
    });
    const { outcome, lacksRecords, mayPass } = await this.#applying.apply(made, signal);
    if (outcome.kind === "reloaded" || outcome.kind === "unchanged") {
      this.#writeRetry.reset();
      this.#reloadRetry.reset();
      this.#publisher.pressure.forget();
      this.#publisher.reloadEnds(isKept && outcome.kind === "reloaded" && outcome.started === true);
      await this.#publish(lacksRecords ? [...this.#parts.memory.records] : [], true);
    }
    if (mayPass) {
      this.#generations.rest(made.text);
      this.#reloadRetry.schedule();
    }
    return outcome;
  }
}

/** Beside what else is said of the same hosts. */
function bugsIn({ bugs }: Rendered): (readonly [string, readonly Problem[]])[] {
  return [...bugs].map(([host, problems]) => [`rendering ${host}`, problems] as const);
}

function sizes({ objects, settings, ports }: Quarantine): readonly number[] {
  return [objects.size, settings.size, ports.size];
}

function settingsName({ settings }: OwnConfigMaps): ObjectName {
  const [namespace, name = ""] = (settings ?? "").split("/");
  return { kind: "ConfigMap", ...(namespace === undefined ? {} : { namespace }), name };
}
