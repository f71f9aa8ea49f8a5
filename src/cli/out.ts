/** The output of a command, and how it ends: with a text, or with the reason why it failed. */
export interface Out {
  write(text: string): void;
  /** Prints a failure in one sentence. */
  fail(sentence: string): void;
}

/**
 * Returns a function that reports why the command failed, and returns the exit code. `usual` is the
 * code of the command if a call gives no other one.
 */
export function failedAs(command: string, usual = 2): (out: Out, why: string, code?: number) => number {
  return (out, why, code = usual) => {
    out.fail(`sluice ${command}: ${why}`);
    return code;
  };
}

/** Prints the text of a command that does nothing else, and returns its exit code. */
export function printed(out: Out, text: string): number {
  out.write(text);
  return 0;
}
