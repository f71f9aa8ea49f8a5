/**
 * Decides when nginx's shared memory has to grow. Memory is sized for its records. If they need
 * more than estimated, it is enlarged before it is full; that costs a reload. The operator's own
 * template may fix the size, so a size that does not grow is requested only once.
 */
import { nameOf } from "../model/objects.ts";
import type { Problem } from "../model/problem.ts";
import type { MemoryUse, PublishOutcome } from "./ports.ts";

/** Memory is short while less than 1/8 of it is free. */
const shortPart = 8;

export class MemoryPressure {
  #now: { readonly kind: "short" | "full"; readonly memory: MemoryUse } | undefined;
  #grownAt: number | undefined;
  #factor = 1;

  /** The factor by which memory must be larger than estimated. */
  get factor(): number {
    return this.#factor;
  }

  /** Takes the outcome of a publication. Returns whether memory must be larger from now on. */
  take(outcome: PublishOutcome): boolean {
    if (outcome.kind === "unreachable") return false;
    const { kind, memory } = outcome;
    const isShort = memory !== undefined && memory.freeBytes * shortPart < memory.capacityBytes;
    this.#now = kind === "full" ? outcome : isShort ? { kind: "short", memory } : undefined;
    if (this.#now === undefined || this.#grownAt === this.#now.memory.capacityBytes) return false;
    this.#grownAt = this.#now.memory.capacityBytes;
    this.#factor *= 2;
    return true;
  }

  /** Reports that nginx has a new memory. The next publication shows how full it is. */
  forget(): void {
    this.#now = undefined;
  }

  /**
   * Returns Problems of the ConfigMap `settings`, named `namespace/name`, while memory is short or
   * full.
   */
  problems(settings: string): Problem[] {
    if (this.#now === undefined) return [];
    const { kind, memory } = this.#now;
    const object = { kind: "ConfigMap", ...nameOf(settings) };
    return [{ object, kind: `memory-${kind}`, bytes: memory.capacityBytes }];
  }
}
