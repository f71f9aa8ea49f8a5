import { setImmediate as otherWork } from "node:timers/promises";

/**
 * Returns a function for long work to await between its steps: it lets other work run if it has not
 * done so for `everyMs`.
 */
export function pauses(everyMs = 20): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < everyMs) return;
    await otherWork();
    since = performance.now();
  };
}
