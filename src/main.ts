/**
 * The program: finds the command and passes it the rest of the line. A user's mistake becomes one
 * sentence and an exit code. An exception is a bug; it is caught only here and ends the program.
 */

import { build } from "./base/version.ts";
import type { Command } from "./cli/command.ts";
import { commands, helpText, unknownCommand } from "./cli/commands.ts";
import { harmless } from "./cli/out.ts";

const out = harmless({
  write: (text) => void process.stdout.write(text),
  fail: (sentence) => void process.stderr.write(`${sentence}\n`),
});

/** A closed terminal or pipe must not interrupt an orderly end. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

async function run([name, ...rest]: readonly string[]): Promise<number> {
  // `sluice help check` is `sluice check --help`.
  if (name === "help" && rest[0] !== undefined && !rest[0].startsWith("-")) return run([rest[0], "--help"]);
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    out.write(helpText());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "version") {
    out.write(`${build.name} ${build.release}\n`);
    return 0;
  }
  const command: Command | undefined = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(rest, out);
  out.fail(unknownCommand(name));
  return 2;
}

/** Ends the program when all of its output has reached the terminal, file or pipe. */
function end(code: number): void {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}

/** The module has no top-level `await`, because the bundle is CommonJS. */
run(process.argv.slice(2)).then(end, (error: Error) => {
  out.fail(`sluice: this is a bug in Sluice ${build.release}, please report it:\n${error.stack ?? error}`);
  end(70);
});
