/**
 * The loop around a WorkQueue that every controller needs. A failure is a value, and its key is
 * tried again later or given up. An exception in `reconcile` is a bug and ends the workers.
 */
import type { WorkQueue } from "./work-queue.ts";

/**
 * The outcome for a key. `retry` tries again after a wait that depends on its failures, `after` at
 * a given time.
 */
export type Reconciled =
  | { readonly kind: "done" }
  | { readonly kind: "retry"; readonly why: string }
  | { readonly kind: "after"; readonly delayMs: number };

export interface WorkersOptions {
  readonly workers?: number;
  /** The most tries after the first one. If it is absent, there is no limit. */
  readonly maxRetries?: number;
  readonly gaveUp?: (key: string, why: string) => void;
}

/** Works until the signal aborts and the queue has drained. */
export async function runWorkers(
  queue: WorkQueue,
  reconcile: (key: string) => Promise<Reconciled>,
  signal: AbortSignal,
  { workers = 1, maxRetries = Number.POSITIVE_INFINITY, gaveUp }: WorkersOptions = {},
): Promise<void> {
  const work = async () => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      const result = await reconcile(key).finally(() => queue.done(key as string));
      if (result.kind === "retry" && queue.retries(key) < maxRetries) {
        queue.addRateLimited(key);
        continue;
      }
      if (result.kind === "retry") gaveUp?.(key, result.why);
      queue.forget(key);
      if (result.kind === "after") queue.addAfter(key, result.delayMs);
    }
  };
  const drain = () => void queue.drain();
  signal.addEventListener("abort", drain, { once: true });
  if (signal.aborted) drain();
  try {
    await Promise.all(Array.from({ length: workers }, work));
  } finally {
    signal.removeEventListener("abort", drain);
    drain();
  }
}
