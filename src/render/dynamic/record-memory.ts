/** The size of nginx's shared memory for records. */

/**
 * Bytes of shared memory for a number of records. nginx's slabs round a record up to a power of two
 * and pages are not shared between sizes; doubled again, and grown in powers of two, since another
 * size is a reload.
 */
export function memoryFor(records: number, bytes: number): number {
  const needed = 4 * bytes + 1024 * records;
  return 2 ** Math.ceil(Math.log2(Math.max(16 * 1024 * 1024, needed)));
}
