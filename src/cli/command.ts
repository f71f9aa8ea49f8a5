import type { Out } from "./out.ts";

export interface Command {
  readonly usage: string;
  readonly doc: string;
  /** Resolves with the exit code. */
  readonly run: (argv: readonly string[], out: Out) => Promise<number>;
}
