/**
 * Finds the objects and keys that nginx refuses. One search lasts from a refusal until the rest is
 * applied. It first accuses the owners of the line that nginx names. If that does not help,
 * everything that changed since the last good apply is set aside and given back by halves. The
 * search only decides what to set aside next; the sync does the trying.
 */
import type { Suspect } from "./suspects.ts";

export class Bisection {
  readonly #why: string;
  /** The suspects that turned out to be the cause, with nginx's message about each. */
  readonly #guilty = new Map<Suspect, string>();
  /** Suspects that were set aside together with all others of their kind, without success. */
  readonly #cleared = new Set<Suspect>();
  /** The number of kinds that were cleared in this way. */
  #clearedKinds = 0;
  /**
   * Last suspects per error message. nginx reports one of two errors at a time, so messages
   * alternate.
   */
  readonly #accused = new Map<string, readonly Suspect[]>();
  /** The refusal whose suspects were set aside last. */
  #suspectedOf: string | undefined;
  /** Suspects that were not judged yet. They are set aside while `#trying` are given back. */
  #unjudged: Suspect[] = [];
  #trying: Suspect[] = [];
  /**
   * Whether there is a single suspect. nginx accepted the rest, so another try with the suspect
   * would prove nothing new.
   */
  #single = false;

  constructor(why: string) {
    this.#why = why;
  }

  /**
   * Returns nginx's message about a suspect. While it is only suspected, that is the refusal that
   * began the search.
   */
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
   * Whether the same error occurs without the suspects that were accused of it. Then they are not
   * the cause and are cleared.
   */
  accusedInVain(message: string): boolean {
    const accused = this.#accused.get(message);
    for (const suspect of accused ?? []) this.#guilty.delete(suspect);
    return accused !== undefined;
  }

  /**
   * Handles a refusal without an owner: all of `changed` that are not judged yet become suspects.
   * Earlier suspects are cleared if the same refusal comes without them. Another one is a second
   * error, so they may be the cause of the first and stay aside. Returns whether there is a new
   * suspect.
   */
  suspect(changed: Iterable<Suspect>, message: string): boolean {
    const isSame = message === this.#suspectedOf;
    if (isSame && this.#unjudged.length > 0) this.#clearedKinds++;
    if (isSame) for (const suspect of this.#unjudged) this.#cleared.add(suspect);
    const held = isSame ? [] : this.#unjudged;
    const known = new Set([...this.#guilty.keys(), ...this.#cleared, ...held]);
    const more = [...changed].filter((suspect) => !known.has(suspect));
    if (more.length === 0 && !isSame) return false;
    this.#suspectedOf = message;
    this.#unjudged = [...held, ...more];
    this.#trying = [];
    this.#single = this.#unjudged.length === 1 && this.#guilty.size === 0 && this.#accused.size === 0;
    return more.length > 0;
  }

  /**
   * Sets aside everything that was cleared, `first` before all others. Two suspects of different
   * kinds may cause the same error, so that each kind was cleared because of the other. Returns
   * whether that differs from what was tried before.
   */
  suspectTogether(first: readonly Suspect[]): boolean {
    if (this.#clearedKinds < 2) return false;
    const early = first.filter((suspect) => this.#cleared.has(suspect));
    this.#unjudged = [...new Set([...early, ...this.#cleared])];
    this.#cleared.clear();
    this.#clearedKinds = 0;
    this.#suspectedOf = undefined;
    return true;
  }

  /**
   * Handles success: nginx accepted the rest. Gives half of the suspects back. Returns false when
   * none is left to judge.
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
   * Handles a refusal of the suspects that were given back: a single suspect is the cause, and
   * several are halved again.
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
