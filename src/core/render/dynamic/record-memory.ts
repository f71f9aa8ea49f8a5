/** The size of nginx's shared memory for records. */

/**
 * Returns the bytes of shared memory for a number of records. nginx's slabs round a record up to a
 * power of two, and a page has records of one size only. The result is doubled once more and is a
 * power of two, because another size needs a reload.
 */
export function memoryFor(records: number, bytes: number): number {
  const needed = 4 * bytes + 1024 * records;
  return 2 ** Math.ceil(Math.log2(Math.max(16 * 1024 * 1024, needed)));
}
