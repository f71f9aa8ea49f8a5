/**
 * Keeps the differences that routes in shadow would have made after they are no longer in shadow,
 * because a user who then lets a route serve wants to compare. The differences need the
 * Configuration in which the route was in shadow. So they are computed at the turn that ends this,
 * whether or not a page is open.
 */

import { inBackground } from "../../../base/callbacks.ts";
import { shared } from "../../../base/timing/shared.ts";
import type { Listener } from "../../../core/sync/ports.ts";
import type { DecideOptions } from "../../matcher/decide.ts";
import type { Served } from "../../matcher/host.ts";
import { type ShadowReport, shadowReports } from "../../matcher/shadow/report.ts";

export interface EndedShadow {
  readonly report: ShadowReport;
  readonly until: Date;
}

export interface ShadowParts {
  readonly configuration: () => Served | undefined;
  /** Returns nginx's counts, which stay after a route was removed. */
  readonly counts: () => Promise<string>;
  readonly options: DecideOptions;
  readonly now: () => Date;
  /** Called when `all` has become a different array. */
  readonly changed: () => void;
  /** Waits before the next comparison, so that many turns need only one. */
  readonly pause: () => Promise<void>;
}

const mostEnded = 500;

export class EndedShadows {
  readonly #parts: ShadowParts;
  /** The last Configuration, if it has routes in shadow. */
  #last: Served | undefined;
  /** The Configuration before the first turn that was not compared yet. */
  #before: Served | undefined;
  readonly #looks = shared(() => this.#look());
  #ended: ReadonlyMap<string, EndedShadow> = new Map();
  #all: readonly EndedShadow[] = [];

  constructor(parts: ShadowParts) {
    this.#parts = parts;
  }

  /** Listens to the turns of the sync. */
  readonly listener: Listener = { problems: () => {}, synced: () => this.turned() };

  turned(): void {
    const next = this.#parts.configuration();
    const last = this.#last;
    this.#last = next !== undefined && next.shadows.size > 0 ? next : undefined;
    if (next === undefined || last === undefined) return;
    const changes = next.shadows.changesSince(last.shadows);
    if (changes.every(({ before }) => before === undefined)) return;
    this.#before ??= last;
    inBackground("the comparison of routes that left the shadow", this.#looks());
  }

  /** The newest first. It is a different array after each change. */
  get all(): readonly EndedShadow[] {
    return this.#all;
  }

  async #look(): Promise<void> {
    const { configuration, counts, options, now, changed, pause } = this.#parts;
    while (this.#before !== undefined) {
      await pause();
      const [before, lines] = [this.#before, await counts()];
      const next = configuration() ?? before;
      this.#before = undefined;
      const still = new Set(shadowReports(next, lines, options).map(keyOf));
      const ended = new Map(this.#ended);
      const until = now();
      for (const report of shadowReports(before, lines, options)) {
        const key = keyOf(report);
        ended.delete(key);
        if (!still.has(key)) ended.set(key, { report, until });
      }
      for (const key of still) ended.delete(key);
      this.#ended = new Map([...ended].slice(-mostEnded));
      this.#all = [...this.#ended.values()].reverse();
      changed();
    }
  }
}

export function keyOf({ listener, host, shadow, now }: ShadowReport): string {
  return JSON.stringify([listener, host, shadow, now]);
}
