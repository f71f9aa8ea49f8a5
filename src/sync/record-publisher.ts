/**
 * Records on their way into nginx's shared memory. Those that it could not be given stay here and go with the next. One publication
 * comes after the other: what is older never overtakes what is newer.
 */
import { OneAtATime } from "../timing/one-at-a-time.ts";
import { MemoryRoom } from "./memory-pressure.ts";
import type { Memory, PublishOutcome, RecordChange } from "./ports.ts";

export interface Published {
  /** How many of each sort nginx has now: `host`, `upstream` ... */
  readonly counts: Readonly<Record<string, number>>;
  /** Undefined where there was nothing to give, or nobody to give it to. */
  readonly outcome: PublishOutcome["kind"] | undefined;
  /** Whether shared memory is to be made larger. */
  readonly grows: boolean;
}

interface Value {
  readonly value: string | undefined;
}

const nothing: Published = { counts: {}, outcome: undefined, grows: false };

export class Publication {
  readonly #memory: Memory;
  readonly #pending = new Map<string, Value>();
  /** What waited when a reload began. */
  #waited: ReadonlyMap<string, Value> = new Map();
  /** What was given since a reload began; undefined while there is none. */
  #sinceReload: Map<string, Value> | undefined;
  readonly #order = new OneAtATime();
  readonly room = new MemoryRoom();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  reloadBegins(): void {
    this.#sinceReload ??= new Map();
    this.#waited = new Map(this.#pending);
  }

  /**
   * nginx has the new text. Shared memory of another size is a new one: it was filled from the disk when the reload began, and what was
   * given since went to the old one, so it goes with the next publication again. It is what was given, not what is newest: a record that
   * waits for the disk would come without those that belong to it. `isFilled`: nginx was started, and has from the disk what waited.
   */
  reloadEnds(isFilled: boolean): void {
    if (isFilled) this.#forgetWaited();
    for (const [key, given] of this.#sinceReload ?? []) {
      const waiting = this.#pending.get(key);
      // What is under way just now may reach the old memory, and is another one's from here on.
      if (waiting === undefined || waiting === given) this.#pending.set(key, { value: given.value });
    }
    this.#sinceReload = undefined;
    this.#waited = new Map();
  }

  #forgetWaited(): void {
    for (const [key, record] of this.#waited) if (this.#pending.get(key) === record) this.#pending.delete(key);
  }

  /** Gives nginx the changes and those before that it has not got, or keeps them until it `runs`. */
  async publish(changes: readonly RecordChange[], runs: boolean): Promise<Published> {
    for (const [key, value] of changes) this.#pending.set(key, { value });
    return runs ? this.#order.run(() => this.#give()) : nothing;
  }

  /** Whether nginx may lack it for a reason that is known here. */
  isWaiting(key: string): boolean {
    return this.#pending.has(key) || this.#sinceReload?.has(key) === true;
  }

  async #give(): Promise<Published> {
    if (this.#pending.size === 0) return nothing;
    const given = [...this.#pending];
    for (const [key, value] of given) this.#sinceReload?.set(key, value);
    const published = await this.#memory.publish(given.map(([key, { value }]) => [key, value] as const));
    const { kind: outcome } = published;
    const grows = this.room.take(published);
    if (outcome !== "published") return { counts: {}, outcome, grows };
    const counts: Record<string, number> = {};
    for (const [key, record] of given) {
      if (this.#pending.get(key) === record) this.#pending.delete(key); // else it changed in the meantime
      const sort = key.slice(0, key.indexOf(" "));
      if (sort !== "before") counts[sort] = (counts[sort] ?? 0) + 1;
    }
    return { counts, outcome, grows };
  }
}
