/**
 * `sluice completion bash|zsh|fish`: prints a script with which a shell completes commands, flags
 * and the names that `explain` knows.
 */
import type { Command } from "./command.ts";
import { type CommandWords, commandWords, type FlagWord } from "./completion/words.ts";
import { type Out, printed } from "./out.ts";

/**
 * Writes the completion scripts in the languages of the shells. Names hold no special character of
 * a shell; sentences are quoted.
 */
const dashed = ({ name }: FlagWord): string => `--${name}`;

/** Returns the possible values of each flag that has a list of them, by the flag's name. */
function known(commands: readonly CommandWords[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    commands.flatMap(({ flags }) =>
      flags.filter(({ values }) => values.length > 0).map(({ name, values }) => [name, values] as const),
    ),
  );
}

/** Writes the script for bash, where `--flag=value` is three words because `=` breaks words. */
function bashScript(commands: readonly CommandWords[]): string {
  const values = [...known(commands)].map(
    ([name, some]) => `    ${name === "output" ? "-o|" : ""}--${name}) words='${some.join(" ")}' ;;`,
  );
  const cases = commands.map(({ name, words, flags }) => {
    const rest =
      words.length > 0
        ? `words='${words.join(" ")}'`
        : `if [[ $current == -* ]]; then words='${flags.map(dashed).join(" ")}'; fi`;
    return `        ${name}) ${rest} ;;`;
  });
  return `# sluice completion bash
_sluice() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=
  [[ $current == = ]] && current=
  [[ $previous == = ]] && previous=\${COMP_WORDS[COMP_CWORD-2]}
  case $previous in
${values.join("\n")}
    *)
      if ((COMP_CWORD == 1)); then
        words='${commands.map(({ name }) => name).join(" ")}'
      else
        case \${COMP_WORDS[1]} in
${cases.join("\n")}
        esac
      fi ;;
  esac
  COMPREPLY=()
  if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
}
complete -o default -F _sluice sluice
`;
}

function zshScript(commands: readonly CommandWords[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const cases = commands.map(({ name, words, flags }) => {
    if (words.length > 0) return `    ${name}) compadd -- ${words.join(" ")} ;;`;
    const specs = flags.map((flag) => {
      const doc = flag.doc.replace(/[[\]]/g, "");
      const value = flag.values.length > 0 ? `:value:(${flag.values.join(" ")})` : flag.hasValue ? ":value:_files" : "";
      return quoted(`--${flag.name}${flag.hasValue ? "=" : ""}[${doc}]${value}`);
    });
    return `    ${name}) _arguments ${[...specs, "'*:file:_files'"].join(" ")} ;;`;
  });
  return `#compdef sluice
_sluice() {
  if ((CURRENT == 2)); then
    local -a commands
    commands=(${commands.map(({ name, doc }) => quoted(`${name}:${doc}`)).join(" ")})
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join("\n")}
  esac
}
compdef _sluice sluice
`;
}

function fishScript(commands: readonly CommandWords[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, doc, words, flags }) => [
    `complete -c sluice -n __fish_use_subcommand -f -a ${name} -d ${quoted(doc)}`,
    ...(words.length === 0
      ? []
      : [`complete -c sluice -n '__fish_seen_subcommand_from ${name}' -f -a ${quoted(words.join(" "))}`]),
    ...flags.map((flag) => {
      const value = flag.values.length > 0 ? ` -x -a ${quoted(flag.values.join(" "))}` : flag.hasValue ? " -r" : "";
      return `complete -c sluice -n '__fish_seen_subcommand_from ${name}' -l ${flag.name}${value} -d ${quoted(flag.doc)}`;
    }),
  ]);
  return `# sluice completion fish\n${lines.join("\n")}\n`;
}

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
