/**
 * Whether shared memory has room for more. What it is to hold decides about its size, so it should never be full; where records take more
 * than was reckoned, it is made larger before it is, which is a reload. A size that does not grow, in somebody's own template, is
 * asked for once.
 */
import { nameOf } from "../model/objects.ts";
import type { Problem } from "../problem.ts";
import type { PublishOutcome, Room } from "./ports.ts";

/** It is short while less than one part in so many is free. */
const shortPart = 8;

export class MemoryRoom {
  #now: { readonly kind: "short" | "full"; readonly room: Room } | undefined;
  #grownAt: number | undefined;

  /** Takes what came of a publication; whether memory is to be made larger for it. */
  take(outcome: PublishOutcome): boolean {
    if (outcome.kind === "unreachable") return false;
    const { kind, room } = outcome;
    const isShort = room !== undefined && room.freeBytes * shortPart < room.capacityBytes;
    this.#now = kind === "full" ? outcome : isShort ? { kind: "short", room } : undefined;
    if (this.#now === undefined || this.#grownAt === this.#now.room.capacityBytes) return false;
    this.#grownAt = this.#now.room.capacityBytes;
    return true;
  }

  /** nginx has another memory now: what its room is, the next publication says. */
  forget(): void {
    this.#now = undefined;
  }

  /** Said of the ConfigMap of settings, `namespace/name`, while there is little room or none. */
  problems(settings: string): Problem[] {
    if (this.#now === undefined) return [];
    const { kind, room } = this.#now;
    const object = { kind: "ConfigMap", ...nameOf(settings) };
    return [{ object, kind: `memory-${kind}`, bytes: room.capacityBytes }];
  }
}
