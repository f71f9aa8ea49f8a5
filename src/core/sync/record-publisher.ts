/**
 * Publishes records to nginx's shared memory. Records that could not be published are kept and go
 * with the next publication. Publications run one after the other, so an older value never
 * overtakes a newer one.
 */
import { OneAtATime } from "../../base/timing/one-at-a-time.ts";
import { nameOf } from "../model/objects.ts";
import type { Problem } from "../model/problem.ts";
import { isReplaced, kindOf } from "../model/records.ts";
import type { Memory, MemoryUse, PublishOutcome, RecordChange } from "./ports.ts";

/**
 * Decides when nginx's shared memory has to grow. Memory is sized for its records. If they need
 * more than estimated, it is enlarged before it is full; that costs a reload. The operator's own
 * template may fix the size, so a size that does not grow is requested only once. Memory is short
 * while less than 1/8 of it is free.
 */
const shortPart = 8;

export class MemoryPressure {
  #now: { readonly kind: "short" | "full"; readonly memory: MemoryUse } | undefined;
  #grownAt: number | undefined;
  #factor = 1;

  /** The factor by which memory must be larger than estimated. */
  get factor(): number {
    return this.#factor;
  }

  /** Takes the outcome of a publication. Returns whether memory must be larger from now on. */
  take(outcome: PublishOutcome): boolean {
    if (outcome.kind === "unreachable") return false;
    const { kind, memory } = outcome;
    const isShort = memory !== undefined && memory.freeBytes * shortPart < memory.capacityBytes;
    this.#now = kind === "full" ? outcome : isShort ? { kind: "short", memory } : undefined;
    if (this.#now === undefined || this.#grownAt === this.#now.memory.capacityBytes) return false;
    this.#grownAt = this.#now.memory.capacityBytes;
    this.#factor *= 2;
    return true;
  }

  /** Reports that nginx has a new memory. The next publication shows how full it is. */
  forget(): void {
    this.#now = undefined;
  }

  /**
   * Returns Problems of the ConfigMap `settings`, named `namespace/name`, while memory is short or
   * full.
   */
  problems(settings: string): Problem[] {
    if (this.#now === undefined) return [];
    const { kind, memory } = this.#now;
    const object = { kind: "ConfigMap", ...nameOf(settings) };
    return [{ object, kind: `memory-${kind}`, bytes: memory.capacityBytes }];
  }
}

export interface Published {
  /** The number of published records of each kind: `host`, `upstream` ... */
  readonly counts: Readonly<Record<string, number>>;
  /** Undefined if there was nothing to publish, or no nginx runs. */
  readonly outcome: PublishOutcome["kind"] | undefined;
  /** Whether shared memory must be made larger. */
  readonly grows: boolean;
}

interface Value {
  readonly value: string | undefined;
}

const nothing: Published = { counts: {}, outcome: undefined, grows: false };

export class RecordPublisher {
  readonly #memory: Memory;
  readonly #pending = new Map<string, Value>();
  /** The records that were pending when a reload began. */
  #pendingAtReload: ReadonlyMap<string, Value> = new Map();
  /** The records that were published since a reload began; undefined while none runs. */
  #sinceReload: Map<string, Value> | undefined;
  readonly #order = new OneAtATime();
  readonly pressure = new MemoryPressure();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  reloadBegins(): void {
    this.#sinceReload ??= new Map();
    this.#pendingAtReload = new Map(this.#pending);
  }

  /**
   * Reports that nginx has the new text. Shared memory of another size is new: it was filled from
   * the disk when the reload began. Records that were published since then went to the old memory,
   * so the next publication repeats them. It repeats the published values and not the newest ones,
   * because a record that waits for the disk would come without the records that belong to it. With
   * `isFilled`, nginx was started and has read the pending records from the disk.
   */
  reloadEnds(isFilled: boolean): void {
    if (isFilled) this.#forgetPendingAtReload();
    for (const [key, given] of this.#sinceReload ?? []) {
      const waiting = this.#pending.get(key);
      // A running publication may reach the old memory, so its records get a new identity, with
      // which they stay pending.
      if (waiting === undefined || waiting === given) this.#pending.set(key, { value: given.value });
    }
    this.#sinceReload = undefined;
    this.#pendingAtReload = new Map();
  }

  #forgetPendingAtReload(): void {
    for (const [key, record] of this.#pendingAtReload) if (this.#pending.get(key) === record) this.#pending.delete(key);
  }

  /** Publishes the changes and all earlier pending ones, or keeps them until nginx `runs`. */
  async publish(changes: readonly RecordChange[], runs: boolean): Promise<Published> {
    for (const [key, value] of changes) this.#pending.set(key, { value });
    return runs ? this.#order.run(() => this.#publishPending()) : nothing;
  }

  /** Whether nginx has all records that were given so far. */
  get isDone(): boolean {
    return this.#pending.size === 0;
  }

  /** Whether nginx may lack the record for a reason that this class knows. */
  isWaiting(key: string): boolean {
    return this.#pending.has(key) || this.#sinceReload?.has(key) === true;
  }

  async #publishPending(): Promise<Published> {
    if (this.#pending.size === 0) return nothing;
    const given = [...this.#pending];
    for (const [key, value] of given) this.#sinceReload?.set(key, value);
    const published = await this.#memory.publish(given.map(([key, { value }]) => [key, value] as const));
    const { kind: outcome } = published;
    const grows = this.pressure.take(published);
    if (outcome !== "published") return { counts: {}, outcome, grows };
    const counts: Record<string, number> = {};
    for (const [key, record] of given) {
      if (this.#pending.get(key) === record) this.#pending.delete(key); // else it changed in the meantime
      const kind = kindOf(key);
      if (!isReplaced(key)) counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return { counts, outcome, grows };
  }
}
