/**
 * Questions to OCSP responders, few at a time to each: a CA has one responder for thousands of
 * certificates. Asked all at once it would answer none of them in time, and this process would have
 * no file descriptor left for anything else. Each responder has a line of its own, so one that is
 * silent keeps only its own certificates waiting.
 */
import type { Question } from "./message.ts";

/** Gives the answer's bytes; rejects with a reason in words. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Uint8Array>;

/** How many questions are with one responder at a time. */
export const mostAtOnce = 8;

interface Line {
  asked: number;
  /** First come, first served: the next in line takes the place of the one that left. */
  readonly waiting: (() => void)[];
}

/**
 * The same `ask`, in turn. It rejects where `signal` aborts, and a waiting caller learns of it when
 * its turn comes.
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
