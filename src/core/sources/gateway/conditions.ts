/** Makes conditions of statuses. Their messages are the sentences of Problems. */
import type { DesiredCondition } from "../../model/gateway/status.ts";
import { type Problem, sentence } from "../../model/problem.ts";

/** Returns a condition that is true. Its reason is its type if none is given. */
export function holds(type: string, message: string, reason = type): DesiredCondition {
  return { type, status: "True", reason, message };
}

export function fails(type: string, reason: string, message: string): DesiredCondition {
  return { type, status: "False", reason, message };
}

/** The longest message here. The API server allows 32,768 characters. */
const longestMessage = 8_000;

/** Joins the sentences of Problems, as far as they fit into one message. */
export function wordsOfAll(problems: readonly Problem[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const text of new Set(problems.map(sentence))) {
    length += text.length + 2;
    if (shown.length > 0 && length > longestMessage) return `${shown.join(". ")}. There are more.`;
    shown.push(text);
  }
  return shown.join(". ");
}

/** A mistake, with its reason in the words of the Gateway API. */
export interface Fault {
  readonly reason: string;
  readonly problem: Problem;
  /**
   * Whether a listener that is refused because of it keeps its hostname, so that no listener with a
   * wider one gets its requests.
   */
  readonly keepsHosts?: true;
}
