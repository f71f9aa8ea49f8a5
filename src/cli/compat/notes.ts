/** Which differences are told at which annotation, key or flag. */
import type { Difference } from "./differences.ts";
import type { Item } from "./item.ts";
import { metBy, type Uses } from "./uses.ts";

/** The differences that `uses` meet, to be told at what meets them. */
export class Notes {
  readonly #by = new Map<string, Difference[]>();

  constructor(list: readonly Difference[], uses: Uses, where: "ingress" | "everywhere") {
    for (const difference of list) {
      const met = new Set(
        metBy(uses, difference, where).map(({ of, name }) => (of === "shape" ? "object " : `${of} ${name}`)),
      );
      for (const one of met) this.#by.set(one, [...(this.#by.get(one) ?? []), difference]);
    }
  }

  /** What is wrong with a thing that does not stay the same is told with the rest. */
  item(about: Omit<Item, "verdict" | "notes">, work: readonly string[]): Item {
    const met = this.#by.get(`${about.what} ${about.name}`) ?? [];
    const needsWork = work.length > 0 || met.some((one) => one.work !== undefined);
    if (met.length === 0 && !needsWork) return { ...about, verdict: "same", notes: [] };
    const told = met.map((one) => (one.work === undefined ? one.how : `${one.how}: ${one.work}`));
    return { ...about, idle: [], verdict: needsWork ? "work" : "differs", notes: [...work, ...told, ...about.idle] };
  }
}
