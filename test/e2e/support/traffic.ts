/** Sends requests one after the other while a test does something else, and records the results. */
import { setTimeout as delay } from "node:timers/promises";
import type { RequestOptions } from "../../nginx/support/request.ts";
import { answerOf } from "./shop.ts";

export class Traffic {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** The number of times that each answer came; failures are counted by their message. */
  readonly answers = new Map<string, number>();

  /** Requests `names` in turn, at most a hundred times a second. */
  constructor(names: readonly string[], options: Partial<RequestOptions> = {}) {
    this.#running = this.#run(names, options);
  }

  get count(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
  }

  async #run(names: readonly string[], options: Partial<RequestOptions>): Promise<void> {
    for (let i = 0, last = false; !last; i += 1) {
      last = this.#stop.signal.aborted;
      const answer = await answerOf(names[i % names.length] ?? "", options).catch((error: Error) => error.message);
      this.answers.set(`${answer}`, (this.answers.get(`${answer}`) ?? 0) + 1);
      await delay(10);
    }
  }

  /** Ends it and returns the answers; the last request began after this call. */
  async end(): Promise<readonly string[]> {
    this.#stop.abort();
    await this.#running;
    return [...this.answers.keys()].sort();
  }
}
