import type { Source } from "./ports.ts";

/**
 * Waits for the complete Snapshot, or until `signal` is aborted. An incomplete one would remove
 * objects from nginx that were not listed yet.
 */
export async function everythingKnown({ synced }: Source, signal: AbortSignal): Promise<void> {
  if (synced === undefined || signal.aborted) return;
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([synced, aborted]);
}
