/**
 * Finds what nginx refuses. One search lasts from a refusal until the rest is applied. It first
 * accuses the owners of the line that nginx names. If that does not help, everything that changed
 * since the last good apply is set aside and given back by halves. The search only decides what to
 * set aside next; the sync does the trying.
 */
import type { Suspect } from "./suspects.ts";

export class Bisection {
  readonly #why: string;
  /** The guilty ones, with nginx's message about each. */
  readonly #guilty = new Map<Suspect, string>();
  /** Suspects that were set aside together with all others of their kind, without success. */
  readonly #cleared = new Set<Suspect>();
  /**
   * Last suspects per error message. nginx reports one of two errors at a time, so messages
   * alternate.
   */
  readonly #accused = new Map<string, readonly Suspect[]>();
  /** Suspects still to be judged. While `#trying` are given back, these are set aside. */
  #unjudged: Suspect[] = [];
  #trying: Suspect[] = [];
  /**
   * Whether there is a single suspect: nginx took the rest, so trying the suspect again would prove
   * nothing new.
   */
  #single = false;

  constructor(why: string) {
    this.#why = why;
  }

  /** nginx's message about it, or the refusal that began the search while it is only suspected. */
  whyOf(suspect: Suspect): string {
    return this.#guilty.get(suspect) ?? this.#why;
  }

  /** Suspects to set aside for the next try. */
  get setAside(): ReadonlySet<Suspect> {
    return new Set([...this.#guilty.keys(), ...this.#unjudged]);
  }

  /** Takes a refusal with this message, whose line belongs to `suspects`. */
  accuse(suspects: readonly Suspect[], message: string): void {
    for (const suspect of suspects) this.#guilty.set(suspect, message);
    this.#accused.set(message, suspects);
  }

  /**
   * Whether the same error occurs without those who were accused of it. Then they are not the cause
   * and are cleared.
   */
  accusedInVain(message: string): boolean {
    const accused = this.#accused.get(message);
    for (const suspect of accused ?? []) this.#guilty.delete(suspect);
    return accused !== undefined;
  }

  /**
   * Handles a refusal without an owner: all of `changed` that are not judged yet become suspects.
   * Earlier suspects are cleared, because the refusal came without them. Returns whether there is a
   * suspect.
   */
  suspect(changed: Iterable<Suspect>): boolean {
    for (const suspect of this.#unjudged) this.#cleared.add(suspect);
    this.#unjudged = [...changed].filter((suspect) => !this.#guilty.has(suspect) && !this.#cleared.has(suspect));
    this.#trying = [];
    this.#single = this.#unjudged.length === 1 && this.#guilty.size === 0 && this.#accused.size === 0;
    return this.#unjudged.length > 0;
  }

  /**
   * Handles success: nginx took the rest. Gives half of the suspects back; returns false when none
   * is left to judge.
   */
  accepted(): boolean {
    this.#trying = [];
    if (this.#single) this.#guilty.set(this.#unjudged.pop()!, this.#why);
    this.#single = false;
    if (this.#unjudged.length === 0) return false;
    const half = Math.ceil(this.#unjudged.length / 2);
    this.#trying = this.#unjudged.splice(0, half);
    return true;
  }

  /**
   * nginx refused what was given back, with this message: a single suspect is guilty, several are
   * halved again.
   */
  refused(message: string): boolean {
    if (this.#trying.length === 0) return false;
    if (this.#trying.length === 1) {
      this.#guilty.set(this.#trying[0]!, message);
      this.#trying = [];
      return true;
    }
    const half = Math.ceil(this.#trying.length / 2);
    this.#unjudged.unshift(...this.#trying.splice(half));
    return true;
  }
}
