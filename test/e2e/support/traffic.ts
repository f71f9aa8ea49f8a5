/**
 * Requests one after the other, for as long as a test does something else, and what became of them.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { RequestOptions } from "../../nginx/support/request.ts";
import { answerOf } from "./shop.ts";

export class Traffic {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** How often each answer came; what broke counts by its message. */
  readonly answers = new Map<string, number>();

  /** Asks `names` in turn, a hundred times a second at most. */
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

  /** Ends it and gives the answers that came: the last one to a request of now. */
  async end(): Promise<readonly string[]> {
    this.#stop.abort();
    await this.#running;
    return [...this.answers.keys()].sort();
  }
}
