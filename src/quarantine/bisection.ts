/**
 * Finds what nginx refuses. One search lasts from a refusal until the rest is applied: first by the line nginx named; where
 * that says nothing, all that changed since the last good apply is set aside, and given back by halves. It decides only
 * what to set aside next; trying is the sync's.
 */

/** An Ingress (`ingress ns/name`), a key of the settings (`setting key`) or of TCP and UDP services (`port tcp/5432`). */
export type Suspect = string;

export class Bisection {
  readonly #why: string;
  /** With what nginx said of each. */
  readonly #guilty = new Map<Suspect, string>();
  /** Who was set aside with all others of a kind, in vain. */
  readonly #cleared = new Set<Suspect>();
  /** Who was accused last in each words of nginx: what is wrong in two places is said by turns. */
  readonly #accused = new Map<string, readonly Suspect[]>();
  /** Those still to be judged; while `#trying` is given back, the rest is set aside. */
  #unjudged: Suspect[] = [];
  #trying: Suspect[] = [];
  /** Whether there is but one suspect: without it nginx took what it had refused, so it need not be tried again. */
  #lone = false;

  constructor(why: string) {
    this.#why = why;
  }

  /** What nginx said of it, or what the search began with while it is only suspected. */
  whyOf(suspect: Suspect): string {
    return this.#guilty.get(suspect) ?? this.#why;
  }

  /** What must be set aside for the next try. */
  get setAside(): ReadonlySet<Suspect> {
    return new Set([...this.#guilty.keys(), ...this.#unjudged]);
  }

  /** A refusal in these words, which names its authors. */
  accuse(suspects: readonly Suspect[], words: string): void {
    for (const suspect of suspects) this.#guilty.set(suspect, words);
    this.#accused.set(words, suspects);
  }

  /** Whether the last who were accused are set aside and the words are still the same: then it was not they, and they are forgiven. */
  accusedInVain(words: string): boolean {
    const accused = this.#accused.get(words);
    for (const suspect of accused ?? []) this.#guilty.delete(suspect);
    return accused !== undefined;
  }

  /** A refusal that names nobody: every one of `changed` is a suspect, unless it was judged already. Whoever was one until now was it in vain. */
  suspect(changed: Iterable<Suspect>): boolean {
    for (const suspect of this.#unjudged) this.#cleared.add(suspect);
    this.#unjudged = [...changed].filter((suspect) => !this.#guilty.has(suspect) && !this.#cleared.has(suspect));
    this.#trying = [];
    this.#lone = this.#unjudged.length === 1 && this.#guilty.size === 0 && this.#accused.size === 0;
    return this.#unjudged.length > 0;
  }

  /** nginx took the rest. Gives half of the suspects back; false when there is nobody left to judge. */
  accepted(): boolean {
    this.#trying = [];
    if (this.#lone) this.#guilty.set(this.#unjudged.pop()!, this.#why);
    this.#lone = false;
    if (this.#unjudged.length === 0) return false;
    const half = Math.ceil(this.#unjudged.length / 2);
    this.#trying = this.#unjudged.splice(0, half);
    return true;
  }

  /** nginx refused in these words what was given back: one alone is guilty, more are halved again. */
  refused(words: string): boolean {
    if (this.#trying.length === 0) return false;
    if (this.#trying.length === 1) {
      this.#guilty.set(this.#trying[0]!, words);
      this.#trying = [];
      return true;
    }
    const half = Math.ceil(this.#trying.length / 2);
    this.#unjudged.unshift(...this.#trying.splice(half));
    return true;
  }
}
