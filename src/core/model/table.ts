/**
 * A persistent map from string keys: every change gives a new Table that shares all untouched
 * buckets with the old one. So a Snapshot of ten thousand objects is a value, and the differences
 * between two of them are found by comparing groups and buckets by identity, not entry by entry.
 * Iteration is in the order of buckets, which has no meaning; sort where order matters.
 */

/**
 * The number of groups, and of buckets in each. A change copies one group and one bucket, and a
 * comparison reads only groups that differ.
 */
const groupCount = 32;
const bucketsEach = 32;
type Bucket<T> = ReadonlyMap<string, T>;
type Group<T> = readonly (Bucket<T> | undefined)[];

export interface TableChange<T> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export class Table<T> {
  readonly #groups: readonly Group<T>[];
  readonly size: number;

  private constructor(groups: readonly Group<T>[], size: number) {
    this.#groups = groups;
    this.size = size;
  }

  static empty<T>(): Table<T> {
    return new Table<T>(emptyGroups, 0);
  }

  static from<T>(entries: Iterable<readonly [string, T]>): Table<T> {
    return Table.empty<T>().with(entries);
  }

  get(key: string): T | undefined {
    return this.size === 0 ? undefined : this.#bucket(key)?.get(key);
  }

  has(key: string): boolean {
    return this.size !== 0 && this.#bucket(key)?.has(key) === true;
  }

  #bucket(key: string): Bucket<T> | undefined {
    const at = bucketOf(key);
    return this.#groups[Math.floor(at / bucketsEach)]![at % bucketsEach];
  }

  /** Returns this Table with `changes` applied in order; a value of `undefined` removes its key. */
  with(changes: Iterable<readonly [string, T | undefined]>): Table<T> {
    const touched = new Map<number, Map<string, T>>();
    let size = this.size;
    for (const [key, value] of changes) {
      const at = bucketOf(key);
      let bucket = touched.get(at);
      if (bucket === undefined) {
        bucket = new Map(this.#bucket(key));
        touched.set(at, bucket);
      }
      size -= bucket.size;
      if (value === undefined) bucket.delete(key);
      else bucket.set(key, value);
      size += bucket.size;
    }
    return touched.size === 0 ? this : new Table(this.#groupsWith(touched), size);
  }

  #groupsWith(touched: ReadonlyMap<number, Bucket<T>>): readonly Group<T>[] {
    const groups = this.#groups.slice();
    const copied = new Map<number, (Bucket<T> | undefined)[]>();
    for (const [at, bucket] of touched) {
      const of = Math.floor(at / bucketsEach);
      let group = copied.get(of);
      if (group === undefined) {
        group = this.#groups[of]!.slice();
        copied.set(of, group);
        groups[of] = group;
      }
      group[at % bucketsEach] = bucket.size === 0 ? undefined : bucket;
    }
    return groups;
  }

  /**
   * Returns the changes that turn `before` into this Table: one entry for each key whose value is
   * not the same object.
   */
  changesSince(before: Table<T>): TableChange<T>[] {
    const changes: TableChange<T>[] = [];
    if (this.#groups === before.#groups) return changes;
    this.#groups.forEach((group, of) => {
      const old = before.#groups[of]!;
      if (group === old) return;
      for (let at = 0; at < bucketsEach; at++) addChanges(changes, old[at], group[at]);
    });
    return changes;
  }

  *[Symbol.iterator](): IterableIterator<[string, T]> {
    for (const bucket of this.#buckets()) yield* bucket;
  }

  *values(): IterableIterator<T> {
    for (const bucket of this.#buckets()) yield* bucket.values();
  }

  *keys(): IterableIterator<string> {
    for (const bucket of this.#buckets()) yield* bucket.keys();
  }

  *#buckets(): IterableIterator<Bucket<T>> {
    for (const group of this.#groups) for (const bucket of group) if (bucket !== undefined) yield bucket;
  }
}

const emptyGroup: readonly undefined[] = new Array<undefined>(bucketsEach).fill(undefined);
const emptyGroups: readonly (readonly undefined[])[] = new Array(groupCount).fill(emptyGroup);

function addChanges<T>(changes: TableChange<T>[], old: Bucket<T> | undefined, now: Bucket<T> | undefined): void {
  if (old === now) return;
  old?.forEach((value, key) => {
    const after = now?.get(key);
    if (after !== value) changes.push({ key, before: value, after });
  });
  now?.forEach((value, key) => {
    if (old?.has(key) !== true) changes.push({ key, before: undefined, after: value });
  });
}

/** Computes FNV-1a over UTF-16 code units, which spreads names that differ in one digit. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & (groupCount * bucketsEach - 1);
}
