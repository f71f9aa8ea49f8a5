/** Decides where each difference is reported: at an annotation, a key or a flag. */
import type { FilePlace } from "../../core/model/problem.ts";
import type { Difference } from "./differences.ts";
import type { Item } from "./item.ts";
import { metBy, type Uses } from "./uses.ts";

/** A thing to report, and a function that finds its line. */
export type Reported = Pick<Item, "of" | "what" | "name" | "idle"> & { readonly place: () => FilePlace | undefined };

/** Reports each difference of `uses` at the things that cause it. */
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

  /**
   * Mistakes of a thing that differs are reported with the difference, because some are its cause.
   * They are marked, because others exist in ingress-nginx as well.
   */
  item({ place, ...about }: Reported, work: readonly string[], differs: readonly string[] = []): Item {
    const met = this.#by.get(`${about.what} ${about.name}`) ?? [];
    const needsWork = work.length > 0 || met.some((one) => one.work !== undefined);
    const isSame = met.length === 0 && differs.length === 0 && !needsWork;
    // A thing that moves as it is needs no line number. Finding line numbers takes more time than
    // all the rest.
    const at = isSame && about.idle.length === 0 ? undefined : place();
    const found = { ...about, ...(at && { at }) };
    if (isSame) return { ...found, verdict: "same", notes: [] };
    const mistakes = needsWork ? about.idle : about.idle.map((one) => `mistake: ${one}`);
    const descriptions = met.map((one) => (one.work === undefined ? one.how : `${one.how}: ${one.work}`));
    return {
      ...found,
      idle: [],
      verdict: needsWork ? "work" : "differs",
      notes: [...work, ...descriptions, ...differs, ...mistakes],
    };
  }
}
