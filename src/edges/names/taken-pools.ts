/**
 * Finds out which endpoints nginx uses. nginx queries the servers of a pool, and then the addresses
 * of each. Its next query for the servers of that pool, a second later, shows that it has used all
 * these answers.
 */
import { later } from "../../base/callbacks.ts";

export class TakenPools {
  readonly #asked = new Map<string, Asked>();
  readonly #taken = new Map<string, Taken>();
  readonly #waiting = new Set<Waiting>();
  #questions = 0;

  /** Notes that nginx gets the servers of a pool, which has this record now. */
  served(pool: string, record: string, targets: Iterable<string>): void {
    const before = this.#asked.get(pool);
    this.#asked.set(pool, { record, left: new Set(targets), at: ++this.#questions });
    if (before === undefined || before.left.size > 0) return;
    this.#taken.set(pool, before);
    for (const waiting of this.#waiting) this.#look(waiting);
  }

  /** Notes that nginx gets the addresses of a server. */
  addressed(pool: string, target: string): void {
    this.#asked.get(pool)?.left.delete(target);
  }

  /** Resolves when nginx has these records of its pools, or newer ones, or after `limitMs`. */
  taken(records: ReadonlyMap<string, string>, limitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const limit = later("the wait for streams", limitMs, () => this.#end(waiting)).unref();
    const waiting: Waiting = { records, since: this.#questions, limit, resolve };
    this.#waiting.add(waiting);
    this.#look(waiting);
    return promise;
  }

  #look(waiting: Waiting): void {
    for (const [pool, record] of waiting.records) {
      const taken = this.#taken.get(pool);
      if (taken === undefined || (taken.record !== record && taken.at <= waiting.since)) return;
    }
    this.#end(waiting);
  }

  #end(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    clearTimeout(waiting.limit);
    waiting.resolve();
  }
}

interface Taken {
  readonly record: string;
  /** The number of the question about its servers. */
  readonly at: number;
}

interface Asked extends Taken {
  /** Servers whose addresses nginx has not queried yet. */
  readonly left: Set<string>;
}

interface Waiting {
  readonly records: ReadonlyMap<string, string>;
  /** The number of questions when it began to wait. */
  readonly since: number;
  readonly limit: NodeJS.Timeout;
  readonly resolve: () => void;
}
