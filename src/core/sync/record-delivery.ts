/**
 * Delivers everything that needs no reload: files that nginx opens at requests, and records, which
 * are written to disk first. Routes pass through the handover, and a failed delivery is repeated.
 */

import type { Clock } from "../../base/timing/clock.ts";
import type { Rendered } from "../render/rendering.ts";
import type { Candidate, Generations } from "./generations.ts";
import type { Memory, Nginx, RecordChange } from "./ports.ts";
import { type Published, RecordPublisher } from "./record-publisher.ts";
import { Retry } from "./retry.ts";
import { RouteHandover } from "./route-handover.ts";
import { written } from "./written.ts";

export interface RecordDeliveryParts {
  readonly memory: Memory;
  readonly nginx: Pick<Nginx, "keepOpened" | "hasOlderWorkers">;
  readonly clock: Clock;
}

/** The interval for checking whether the workers of earlier texts have ended. */
const tidyMs = 10_000;
const retryDelays = { floorMs: 200, ceilingMs: 10_000 };

export class RecordDelivery {
  readonly #parts: RecordDeliveryParts;
  readonly #generations: Generations;
  readonly #wakeUp: () => void;
  readonly #handover: RouteHandover;
  readonly #publisher: RecordPublisher;
  readonly #retry: Retry;
  #tidying = false;
  /** Whether the disk lacks records that should be there. */
  #unkept = false;
  #isKeptAtReload = false;

  constructor(parts: RecordDeliveryParts, generations: Generations, wakeUp: () => void) {
    this.#parts = parts;
    this.#generations = generations;
    this.#wakeUp = wakeUp;
    this.#handover = new RouteHandover(parts.memory.records);
    this.#publisher = new RecordPublisher(parts.memory);
    this.#retry = new Retry(parts.clock, retryDelays, wakeUp);
  }

  get pressure() {
    return this.#publisher.pressure;
  }

  /** Whether nginx has all delivered records. */
  get isDone(): boolean {
    return this.#publisher.isDone;
  }

  /** Notes that a write failed, and repeats it later. */
  retryLater(): void {
    this.#retry.schedule();
  }

  /**
   * Returns the number of published records, and the reason if the disk did not get everything.
   */
  async deliver({ text, records, opened }: Rendered, { snapshot, statuses }: Omit<Candidate, "text">) {
    const { memory, nginx, clock } = this.#parts;
    const unopened = await written(nginx.keepOpened(opened));
    const runs = this.#generations.live !== undefined || (await memory.isOurs());
    // No reload begins between these lines. The next one begins either with the previous text,
    // which is known here, or with this text and its records.
    this.#generations.want({ text, snapshot, statuses });
    const mayBeOlder = (this.#generations.hasOlder || this.#handover.keepsReplaced) && nginx.hasOlderWorkers();
    if (!mayBeOlder) this.#generations.olderGone();
    const around = runs ? this.#generations.shapes : undefined;
    const changes = this.#handover.take(records, memory.records, around, clock.now());
    if (!mayBeOlder) changes.push(...this.#handover.forget());
    this.#tidyLater();
    const toKeep = changes.length > 0 || this.#unkept;
    const unkept = toKeep ? await written(memory.keep(changes)) : undefined;
    this.#unkept = unkept !== undefined;
    // A record that names a file waits for the file. All other records are live even if the disk is
    // full.
    const counts = await this.publish(changes, runs && unopened === undefined);
    return { counts, unwritten: unopened ?? unkept };
  }

  async publish(changes: readonly RecordChange[], runs: boolean): Promise<Published["counts"]> {
    const { counts, outcome, grows } = await this.#publisher.publish(changes, runs);
    if (grows) this.#wakeUp();
    if (outcome === "full" || outcome === "unreachable") this.#retry.schedule();
    return counts;
  }

  /**
   * Restores the records in nginx's memory that another program has changed, and returns their
   * keys.
   */
  async repair(isReloading: () => boolean): Promise<readonly string[]> {
    const { memory } = this.#parts;
    const found = isReloading() ? [] : ((await memory.strange?.()) ?? []);
    const strange = found.filter((key) => !this.#publisher.isWaiting(key));
    const right = strange.map((key): RecordChange => [key, memory.records.get(key)]);
    if (right.length > 0 && !isReloading()) await this.publish(right, true);
    return strange;
  }

  reloadBegins(): void {
    this.#publisher.reloadBegins();
    this.#isKeptAtReload = !this.#unkept;
  }

  /**
   * Reports that nginx has the new text. With `started`, nginx was started and has read the records
   * on disk.
   */
  async reloadEnds(started: boolean, lacksRecords: boolean): Promise<void> {
    this.#retry.reset();
    this.pressure.forget();
    this.#publisher.reloadEnds(this.#isKeptAtReload && started);
    await this.publish(lacksRecords ? [...this.#parts.memory.records] : [], true);
  }

  /**
   * Schedules the removal of replaced records that are no longer needed, because no wake-up
   * announces that.
   */
  #tidyLater(): void {
    if (this.#tidying || !this.#handover.isPending) return;
    this.#tidying = true;
    this.#parts.clock.schedule(tidyMs, () => {
      this.#tidying = false;
      this.#wakeUp();
    });
  }
}
