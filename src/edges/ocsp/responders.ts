/**
 * Limits the requests to each OCSP responder, because a CA has one responder for thousands of
 * certificates. If all of them were sent at once, it would answer none in time, and this process
 * would have no file descriptors left. Each responder has its own queue, so a silent one only
 * delays its own certificates.
 */
import type { Question } from "./message.ts";

/** Resolves with the answer's bytes; rejects with a reason in words. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Uint8Array>;

/** The number of requests that one responder gets at a time. */
export const mostAtOnce = 8;

interface Line {
  asked: number;
  /** Waiting requests in their order. When a request ends, the next one starts. */
  readonly waiting: (() => void)[];
}

/**
 * Does the same as `ask`, but waits for its turn. It rejects when `signal` aborts; a waiting caller
 * notices that when its turn comes.
 */
export function fewAtOnce(ask: Ask): Ask {
  const lines = new Map<string, Line>();
  return async (question, signal) => {
    const responder = new URL(question.url).host;
    const line = lines.get(responder) ?? { asked: 0, waiting: [] };
    lines.set(responder, line);
    if (line.asked < mostAtOnce) line.asked++;
    else await new Promise<void>((called) => line.waiting.push(called));
    try {
      signal.throwIfAborted();
      return await ask(question, signal);
    } finally {
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else line.asked--;
      if (line.asked === 0) lines.delete(responder);
    }
  };
}
