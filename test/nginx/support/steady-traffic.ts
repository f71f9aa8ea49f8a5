/**
 * Sends requests without a pause while a test does something else, half of them over connections
 * that are kept. If a reused connection was closed before the first byte of an answer, the client
 * sends the request once more, as HTTP clients do, and the retry is counted.
 */
import { setTimeout as delay } from "node:timers/promises";
import { keepalive, type RequestOptions, request } from "./request.ts";

export interface SteadyTraffic {
  /** The number of answers by status; failed requests are counted by their message. */
  readonly answers: ReadonlyMap<string, number>;
  readonly retries: number;
  end(): Promise<void>;
}

/** Each client pauses for `pauseMs` after an answer. */
export function steadyTraffic(asked: readonly RequestOptions[], clients = 4, pauseMs = 0): SteadyTraffic {
  const answers = new Map<string, number>();
  const agent = keepalive();
  let [going, retries] = [true, 0];
  const statusOf = async (options: RequestOptions, kept: boolean): Promise<string> => {
    try {
      return String((await request(kept ? { ...options, agent } : options)).status);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (!kept || code !== "ECONNRESET") return message;
      retries++;
      return statusOf(options, false);
    }
  };
  const client = async (number: number) => {
    for (let at = number; going; at++) {
      const answer = await statusOf(asked[at % asked.length]!, number % 2 === 0);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  const running = Array.from({ length: clients }, (_, number) => client(number));
  return {
    answers,
    get retries() {
      return retries;
    },
    end: async () => {
      going = false;
      await Promise.all(running);
      agent.destroy();
    },
  };
}
