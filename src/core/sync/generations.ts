/**
 * The state of each generation of nginx.conf. While turns go on during a reload, the generation
 * that is live, the one that is applied and the newest one that is wanted are three different ones.
 */
import type { DesiredStatus } from "../model/gateway/status.ts";
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import type { Table } from "../model/table.ts";
import type { RenderedText } from "../render/rendering.ts";
import type { ShapesAround } from "./route-handover.ts";

/**
 * The most generations before the live one that may still have workers. With so many a reload waits
 * (nginx's `maxDraining`).
 */
export const mostOlder = 16;

/**
 * A text, the Snapshot from which it was made, and the statuses that objects of the Gateway API
 * should have when it is live.
 */
export interface Candidate {
  readonly text: RenderedText;
  readonly snapshot: Snapshot;
  readonly statuses: Table<DesiredStatus>;
}

/**
 * `draining` means that nginx had it before the live one, and its workers may still run. `refused`
 * means that nginx has refused it since it last accepted one. `retry` means that it failed for a
 * temporary reason and waits for its retry. `given up` means that it is not tried again before
 * nginx accepts another one, because no suspect was found.
 */
export type GenerationState = "wanted" | "applying" | "live" | "draining" | "refused" | "retry" | "given up";

interface Entry {
  readonly generation: string;
  readonly shapes: ReadonlySet<string>;
  readonly state: GenerationState;
}

export class Generations {
  /**
   * Entries, newest first. A live or draining generation may be applied again and then has a second
   * entry.
   */
  #entries: readonly Entry[] = [];
  #wanted: Candidate | undefined;
  #live: RenderedText | undefined;
  #liveSnapshot: Snapshot = emptySnapshot;

  /** The text that nginx serves now, if it serves one of ours. */
  get live(): RenderedText | undefined {
    return this.#live;
  }

  /** The newest Snapshot that nginx certainly serves. */
  get liveSnapshot(): Snapshot {
    return this.#liveSnapshot;
  }

  /** Whether nginx does not serve the newest wanted text. */
  get isBehind(): boolean {
    return this.#wanted !== undefined && this.stateOf(this.#wanted.text.generation) !== "live";
  }

  /** Whether the newest wanted text is waiting for its retry. */
  get isWaiting(): boolean {
    return this.#wanted !== undefined && this.stateOf(this.#wanted.text.generation) === "retry";
  }

  /** The shapes that the handover of routes takes into account. */
  get shapes(): ShapesAround {
    const older = this.#in("draining").map(({ shapes }) => shapes);
    return { running: this.#live?.shapes, coming: this.#in("applying")[0]?.shapes, older };
  }

  /** Whether workers of an earlier text may still run. */
  get hasOlder(): boolean {
    return this.#in("draining").length > 0;
  }

  /** Returns undefined for a generation that is neither wanted nor in the list. */
  stateOf(generation: string): GenerationState | undefined {
    if (generation === this.#live?.generation) return "live";
    return this.#entries.find((one) => one.generation === generation && one.state !== "draining")?.state;
  }

  /** Whether nginx has not accepted the generation since it last accepted a text. */
  isRefused(generation: string): boolean {
    const state = this.stateOf(generation);
    return state === "refused" || state === "retry" || state === "given up";
  }

  want(candidate: Candidate): void {
    this.#wanted = candidate;
    this.#drop("wanted");
    if (this.stateOf(candidate.text.generation) === undefined) this.#put(candidate.text, "wanted");
  }

  /** Returns the newest wanted text, which is applied now. */
  begin(): Candidate {
    this.#put(this.#wanted!.text, "applying");
    return this.#wanted!;
  }

  /** Reports that nginx accepted the text. */
  serve({ text, snapshot }: Candidate): void {
    this.#drop("refused", "given up");
    if (this.#live !== undefined) this.#put(this.#live, "draining");
    this.#put(text, "live");
    this.#live = text;
    this.#liveSnapshot = snapshot;
    const older = this.#in("draining").slice(mostOlder);
    this.#entries = this.#entries.filter((one) => !older.includes(one));
  }

  /** Reports that `snapshot` has the same text as the live one. */
  servesAlso(snapshot: Snapshot): void {
    this.#liveSnapshot = snapshot;
  }

  /** Reports that nginx refused the text. */
  refuse(text: RenderedText): void {
    this.#put(text, "refused");
  }

  /** Reports that refused texts are not tried again before nginx accepts another one. */
  giveUp(): void {
    this.#entries = this.#entries.map((one) => (one.state === "refused" ? { ...one, state: "given up" } : one));
  }

  /**
   * Reports that the text waits for its retry. Only the last failed text waits; every other may be
   * tried at once.
   */
  retryLater(text: RenderedText): void {
    this.#drop("retry");
    this.#put(text, "retry");
  }

  /** Reports that the time of the retry has come. */
  retryNow(): void {
    this.#drop("retry");
  }

  /** Reports that the last worker of earlier texts has ended. */
  olderGone(): void {
    this.#drop("draining");
  }

  #in(state: GenerationState): readonly Entry[] {
    return this.#entries.filter((one) => one.state === state);
  }

  #drop(...states: readonly GenerationState[]): void {
    this.#entries = this.#entries.filter((one) => !states.includes(one.state));
  }

  /**
   * Changes the state of a text, and makes it the newest. A live text stays live while it is
   * applied again.
   */
  #put({ generation, shapes }: RenderedText, state: GenerationState): void {
    const replacesLive = state === "live" || state === "draining";
    const stays = (one: Entry) => one.state === "draining" || (one.state === "live" && !replacesLive);
    const others = this.#entries.filter((one) => one.generation !== generation || stays(one));
    this.#entries = [{ generation, shapes, state }, ...others];
  }
}
