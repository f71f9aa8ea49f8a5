/** Prints `--help` from the declarations of the flags. */

import type { Flag } from "../controller/flag.ts";
import { type Command, flagGroups } from "../controller/flags.ts";
import { written } from "../core/kinds/kind.ts";

const about: Readonly<Record<Command, string>> = {
  run: "Usage: sluice run [flags]\n\nRuns the controller in a cluster. It takes the flags of ingress-nginx unchanged.\n",
  serve:
    "Usage: sluice serve [flags] FOLDER\n\nServes the Kubernetes objects in a folder of YAML files, without a cluster; an edit is live at once.\n",
};

/**
 * Returns the text of `--help`. Flags without an effect are listed in one line for each group, so
 * that the others are easy to find.
 */
export function helpText(command: Command): string {
  const groups = Object.entries(flagGroups).map(([title, group]) => {
    const flags = (Object.values(group) as Flag<unknown>[]).filter(({ cluster }) => command === "run" || !cluster);
    const acting = flags.filter(({ noEffect }) => noEffect === undefined).map((flag) => entry(flag, command));
    const idle = flags.filter(({ noEffect }) => noEffect !== undefined).map(({ name }) => `--${name}`);
    if (idle.length > 0) acting.push(`  ${wrapped(`Accepted without effect: ${idle.join(", ")}`, "    ")}\n`);
    return acting.length === 0 ? "" : `\n${title}:\n${acting.join("")}`;
  });
  return about[command] + groups.join("");
}

function entry(flag: Flag<unknown>, command: Command): string {
  return `  ${usage(flag)}\n      ${wrapped(`${flag.doc}${defaultNote(flag, command)}`, "      ")}\n`;
}

/** Returns, for example, `-v, --v LEVEL`. */
export function usage({ name, short, value }: Flag<unknown>): string {
  return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
}

function defaultNote(flag: Flag<unknown>, command: Command): string {
  const text = writtenDefault(flag, command);
  return text === "" || text === "false" ? "" : ` Default: ${text}.`;
}

/** Returns the default as a user would write it; empty if there is none. */
export function writtenDefault(flag: Flag<unknown>, command: Command): string {
  return written(flag.kind, command === "serve" && "serve" in flag ? flag.serve : flag.default);
}

/** Wraps the text into lines of at most 100 columns. */
function wrapped(text: string, indent: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && indent.length + line.length + word.length > 99) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${indent}`);
}
