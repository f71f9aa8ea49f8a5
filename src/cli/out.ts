import { visible, visibleLines } from "../base/visible.ts";

/** The output of a command, and how it ends: with a text, or with the reason why it failed. */
export interface Out {
  write(text: string): void;
  /** Prints a failure in one sentence. */
  fail(sentence: string): void;
}

/** The colours of `painter`. */
const ownColours = /(\u001b\[(?:0|3[123])m)/;

/**
 * Returns an Out whose texts cannot control a terminal, whatever names, files and arguments they
 * repeat. In JSON the escapes mean the same characters.
 */
export function harmless({ write, fail }: Out): Out {
  const safe = (text: string) =>
    text
      .split(ownColours)
      .map((part, at) => (at % 2 === 1 ? part : visibleLines(part)))
      .join("");
  return { write: (text) => write(safe(text)), fail: (sentence) => fail(visibleLines(sentence)) };
}

/** Prints each note that there is on a line of its own. */
export function printNotes(out: Out, command: string, notes: readonly (string | undefined)[]): void {
  for (const note of notes) if (note !== undefined) out.fail(visible(`sluice ${command}: ${note}`));
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
