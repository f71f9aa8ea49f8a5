/** Runs a command of the program in this process, and keeps what it prints. */
import type { Out } from "../../../src/cli/out.ts";

export type Tool = (argv: readonly string[], out: Out) => number | Promise<number>;

export interface Ran {
  readonly code: number;
  readonly text: string;
  /** The last sentence on standard error. */
  readonly failure: string;
}

export async function ran(tool: Tool, ...argv: readonly string[]): Promise<Ran> {
  let [text, failure] = ["", ""];
  const code = await tool(argv, {
    write: (more) => {
      text += more;
    },
    fail: (sentence) => {
      failure = sentence;
    },
  });
  return { code, text, failure };
}
