/** What a reader of the benchmark prints when its caches are full. Needs `node --expose-gc`. */
export async function measure(sync: () => Promise<number>): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc as () => void;
  const started = performance.now();
  const objects = await sync();
  const syncMs = Math.round(performance.now() - started);
  // Twice: the first collection only finds what the second can give back.
  collect();
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  console.log(`${objects} objects, synced in ${syncMs} ms, heap ${mb(heapUsed)}, resident ${mb(rss)}`);
  process.exit(0);
}
