/**
 * `sluice completion bash|zsh|fish`: prints a script with which a shell completes commands, flags
 * and the names that `explain` knows.
 */

import type { Command } from "./command.ts";
import { bashScript, fishScript, zshScript } from "./completion/scripts.ts";
import { commandWords } from "./completion/words.ts";
import { type Out, printed } from "./out.ts";

const usage = `Usage: sluice completion bash|zsh|fish

Prints a script with which the shell completes commands, their flags, and for sluice explain the names
of annotations, ConfigMap keys and flags:

  bash: source <(sluice completion bash)      in ~/.bashrc
  zsh:  source <(sluice completion zsh)       in ~/.zshrc, after compinit
  fish: sluice completion fish | source       in ~/.config/fish/config.fish
`;

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Returns exit code 0, or 2 for an unknown shell. */
export function completion(argv: readonly string[], commands: Readonly<Record<string, Command>>, out: Out): number {
  const [shell = ""] = argv;
  if (shell === "--help" || shell === "-h") return printed(out, usage);
  if (!Object.hasOwn(scripts, shell) || argv.length !== 1) {
    out.fail("sluice completion takes one word: bash, zsh or fish");
    return 2;
  }
  out.write(scripts[shell as keyof typeof scripts](commandWords(commands)));
  return 0;
}
