/**
 * Ends work that takes too long. If nginx cannot answer the query, patterns of tenants are applied
 * here to the URL in the question, and JavaScript has no limit for the steps of a pattern. Without
 * a time limit, a link to the page with such a URL could stop the whole controller.
 */
import { createContext, Script } from "node:vm";

const script = new Script("work()");

/** Returns the result of `work`, or undefined if it was ended after `limitMs`. */
export function inTime<T>(limitMs: number, work: () => T): T | undefined {
  try {
    return script.runInContext(createContext({ work }), { timeout: limitMs }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}
