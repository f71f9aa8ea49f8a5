/** Records on their way into nginx's shared memory. Those that it could not be given stay here and go with the next. */
import type { Memory, PublishOutcome, RecordChange } from "./ports.ts";
import { MemoryRoom } from "./room.ts";

export interface Published {
  /** How many of each sort nginx has now: `host`, `upstream` ... */
  readonly counts: Readonly<Record<string, number>>;
  /** Undefined where there was nothing to give, or nobody to give it to. */
  readonly outcome: PublishOutcome["kind"] | undefined;
  /** Whether shared memory is to be made larger. */
  readonly grows: boolean;
}

export class Publication {
  readonly #memory: Memory;
  readonly #pending = new Map<string, { readonly value: string | undefined }>();
  /** Keys that were on their way since a reload began; undefined while there is none. */
  #sinceReload: Set<string> | undefined;
  readonly room = new MemoryRoom();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  reloadBegins(): void {
    this.#sinceReload ??= new Set();
  }

  /**
   * The keys that nginx is to be given again, now that it has the new text. Shared memory of another size is a new one: it was filled from
   * the disk when the reload began, and what was published since went to the old one.
   */
  reloadEnds(): readonly string[] {
    const keys = [...(this.#sinceReload ?? [])];
    this.#sinceReload = undefined;
    return keys;
  }

  /** Gives nginx the changes and those before that it has not got, or keeps them until it `runs`. */
  async publish(changes: readonly RecordChange[], runs: boolean): Promise<Published> {
    for (const [key, value] of changes) this.#pending.set(key, { value });
    if (!runs || this.#pending.size === 0) return { counts: {}, outcome: undefined, grows: false };
    const given = [...this.#pending];
    for (const [key] of given) this.#sinceReload?.add(key);
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
