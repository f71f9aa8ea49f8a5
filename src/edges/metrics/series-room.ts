/**
 * The room for series of request metrics, which all namespaces share. If there is none, the
 * namespace with the most lines makes room for those with fewer. So a tenant with very many series
 * cannot keep others from having theirs.
 */

export interface Series {
  readonly namespace: string;
  readonly ingress: string;
  /** Empty for requests of Ingresses. */
  readonly route: string;
  /** The sum for all labels that have no series of their own. */
  readonly isOther: boolean;
  /** The labels as they are written between the braces. */
  readonly text: string;
  readonly values: number[];
}

/** Series with the same labels and the same number of lines. */
export interface Family {
  readonly series: Map<string, Series>;
  readonly lines: number;
  /** The family may add series while all families together have fewer than this. */
  readonly room: number;
}

export class SeriesRoom {
  readonly #families: readonly Family[];
  /** The lines of all families. */
  #all: number;
  /** The lines of each namespace, without those of `other`. */
  readonly #lines = new Map<string, number>();

  /** The lines of `other` are reserved. */
  constructor(families: readonly Family[]) {
    this.#families = families;
    this.#all = families.reduce((sum, { lines }) => sum + lines, 0);
  }

  add(namespace: string, lines: number): void {
    this.#all += lines;
    this.#lines.set(namespace, (this.#lines.get(namespace) ?? 0) + lines);
  }

  /**
   * Returns whether the namespace gets one more series of the family: from free room, from room
   * that the namespace with the most lines had, or not at all.
   */
  for(family: Family, namespace: string): "free" | "made" | "none" {
    const fits = () => this.#all + family.lines <= family.room;
    if (fits()) return "free";
    const [largest, most] = [...this.#lines].reduce((one, other) => (other[1] > one[1] ? other : one), ["", 0]);
    const own = this.#lines.get(namespace) ?? 0;
    if (own + family.lines >= most) return "none";
    // Several are dropped at once, because the search for them passes all series.
    this.#drop(largest, Math.max(family.lines, Math.min((most - own) / 2, family.room / 100)));
    return fits() ? "made" : "none";
  }

  /** Drops the oldest series of the namespace, until so many lines are free. */
  #drop(namespace: string, wanted: number): void {
    let freed = 0;
    for (const { series, lines } of this.#families)
      for (const [key, one] of series) {
        if (freed >= wanted) return;
        if (one.isOther || one.namespace !== namespace) continue;
        series.delete(key);
        this.add(namespace, -lines);
        freed += lines;
      }
  }
}
