/**
 * The texts of nginx.conf that matter at a moment: the one that nginx runs with, the one that it is being given, and the
 * newest that is wanted. While turns go on during a reload they are three different ones.
 */
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import type { RenderedText } from "../render/rendering.ts";
import type { ShapesAround } from "./route-handover.ts";

/** How many texts before the running one may have workers: with so many a reload waits (`maxDraining` of nginx). */
export const mostOlder = 16;

/** A text and what it was made of. */
export interface Candidate {
  readonly text: RenderedText;
  readonly snapshot: Snapshot;
}

export class Generations {
  #live: RenderedText | undefined;
  #liveSnapshot: Snapshot = emptySnapshot;
  #coming: RenderedText | undefined;
  /** Of texts that nginx had before, youngest first. */
  #older: readonly ReadonlySet<string>[] = [];
  #wanted: Candidate | undefined;
  /** Generations that nginx refused since it last took one, and those of them that are not tried again. */
  readonly #tried = new Set<string>();
  #givenUp: ReadonlySet<string> = new Set();
  #resting: string | undefined;

  /** What nginx serves now, if it serves anything of ours. */
  get live(): RenderedText | undefined {
    return this.#live;
  }

  /** The newest Snapshot that nginx is known to serve. */
  get liveSnapshot(): Snapshot {
    return this.#liveSnapshot;
  }

  /** Whether nginx serves another text than the newest that is wanted. */
  get isBehind(): boolean {
    return this.#wanted !== undefined && !this.isLive(this.#wanted.text);
  }

  /** For the passage of routes from one text to the next. */
  get shapes(): ShapesAround {
    return { running: this.#live?.shapes, coming: this.#coming?.shapes, older: this.#older };
  }

  /** Whether workers may still go by a text that nginx had before. */
  get hasOlder(): boolean {
    return this.#older.length > 0;
  }

  /** The last worker of them has gone. */
  olderGone(): void {
    this.#older = [];
  }

  isLive({ generation }: RenderedText): boolean {
    return generation === this.#live?.generation;
  }

  /** Whether nginx refused it and nobody could be set aside for that. */
  isGivenUp({ generation }: RenderedText): boolean {
    return this.#givenUp.has(generation);
  }

  /** Whether it is to be tried again, but not yet. */
  isResting({ generation }: RenderedText): boolean {
    return generation === this.#resting;
  }

  /** Whether the newest that is wanted is. */
  get rests(): boolean {
    return this.#wanted !== undefined && this.isResting(this.#wanted.text);
  }

  /** nginx could not take it, for a reason that may pass. Another text may do at once. */
  rest({ generation }: RenderedText): void {
    this.#resting = generation;
  }

  /** It has rested long enough. */
  rouse(): void {
    this.#resting = undefined;
  }

  want(made: Candidate): void {
    this.#wanted = made;
  }

  /** nginx is given the newest that is wanted. */
  begin(): Candidate {
    const wanted = this.#wanted!;
    this.#coming = wanted.text;
    return wanted;
  }

  /** nginx took what it was given, or not. */
  end(): void {
    this.#coming = undefined;
  }

  /** nginx took it. */
  serve({ text, snapshot }: Candidate): void {
    const before = this.#live;
    if (before !== undefined) this.#older = [before.shapes, ...this.#older].slice(0, mostOlder);
    this.#live = text;
    this.#liveSnapshot = snapshot;
    this.#tried.clear();
    this.#givenUp = new Set();
  }

  /** What is made of `snapshot` is the text that is live already. */
  servesAlso(snapshot: Snapshot): void {
    this.#liveSnapshot = snapshot;
  }

  refuse({ generation }: RenderedText): void {
    this.#tried.add(generation);
  }

  /** Nothing of what nginx refused is tried again before it takes something else. */
  giveUp(): void {
    this.#givenUp = new Set(this.#tried);
  }
}
