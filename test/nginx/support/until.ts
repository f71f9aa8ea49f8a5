/** Waits for a condition; tests use this instead of a fixed pause. */
import { setTimeout as delay } from "node:timers/promises";

/**
 * Resolves with the first result of `look` that is neither undefined nor false. Rejects with an
 * error that names `what` when there is none within `limitMs`, which is longer than anything takes
 * on a busy machine.
 */
export async function until<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
  limitMs = 60_000,
): Promise<Exclude<NonNullable<T>, false>> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    const answer = await look();
    if (answer !== undefined && answer !== null && answer !== false) return answer as Exclude<NonNullable<T>, false>;
    await delay(10);
  }
  throw new Error(`waited ${limitMs} ms in vain: ${typeof what === "string" ? what : what()}`);
}
