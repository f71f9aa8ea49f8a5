/** The memory of a reader with full caches, as JSON on one line. Needs `node --expose-gc`. */
export interface Read {
  readonly objects: number;
  readonly syncMs: number;
  /** Bytes. */
  readonly heap: number;
  readonly resident: number;
}

export async function measure(sync: () => Promise<number>): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc as () => void;
  const started = performance.now();
  const objects = await sync();
  const syncMs = Math.round(performance.now() - started);
  // It runs twice, because the first collection only finds what the second one can free.
  collect();
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  const read: Read = { objects, syncMs, heap: heapUsed, resident: rss };
  console.log(JSON.stringify(read));
  process.exit(0);
}
