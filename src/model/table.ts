/**
 * A persistent map from string keys: every change gives a new Table that shares all untouched buckets with the old one.
 * So a Snapshot of ten thousand objects is kept as a value, and what differs between two of them is found by comparing
 * bucket identities, not entries. Iteration order is by bucket and means nothing; sort where order matters.
 */

const bucketCount = 1024;
type Bucket<T> = ReadonlyMap<string, T>;

export interface TableChange<T> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export class Table<T> {
  readonly #buckets: readonly (Bucket<T> | undefined)[];
  readonly size: number;

  private constructor(buckets: readonly (Bucket<T> | undefined)[], size: number) {
    this.#buckets = buckets;
    this.size = size;
  }

  static empty<T>(): Table<T> {
    return new Table<T>(new Array<Bucket<T> | undefined>(bucketCount).fill(undefined), 0);
  }

  static from<T>(entries: Iterable<readonly [string, T]>): Table<T> {
    return Table.empty<T>().with(entries);
  }

  get(key: string): T | undefined {
    return this.#buckets[bucketOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.#buckets[bucketOf(key)]?.has(key) ?? false;
  }

  /** This Table with `changes` applied in order; a value of `undefined` removes its key. */
  with(changes: Iterable<readonly [string, T | undefined]>): Table<T> {
    const touched = new Map<number, Map<string, T>>();
    let size = this.size;
    for (const [key, value] of changes) {
      const at = bucketOf(key);
      let bucket = touched.get(at);
      if (bucket === undefined) {
        bucket = new Map(this.#buckets[at]);
        touched.set(at, bucket);
      }
      size -= bucket.size;
      if (value === undefined) bucket.delete(key);
      else bucket.set(key, value);
      size += bucket.size;
    }
    if (touched.size === 0) return this;
    const buckets = this.#buckets.slice();
    for (const [at, bucket] of touched) buckets[at] = bucket.size === 0 ? undefined : bucket;
    return new Table(buckets, size);
  }

  /** What turns `before` into this Table: one entry for each key whose value is not the same object. */
  changesSince(before: Table<T>): TableChange<T>[] {
    const changes: TableChange<T>[] = [];
    for (let at = 0; at < bucketCount; at++) {
      const old = before.#buckets[at];
      const now = this.#buckets[at];
      if (old === now) continue;
      old?.forEach((value, key) => {
        const after = now?.get(key);
        if (after !== value) changes.push({ key, before: value, after });
      });
      now?.forEach((value, key) => {
        if (old?.has(key) !== true) changes.push({ key, before: undefined, after: value });
      });
    }
    return changes;
  }

  *[Symbol.iterator](): IterableIterator<[string, T]> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket;
  }

  *values(): IterableIterator<T> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket.values();
  }

  *keys(): IterableIterator<string> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket.keys();
  }
}

/** FNV-1a over UTF-16 code units: spreads names that differ in one digit. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & (bucketCount - 1);
}
