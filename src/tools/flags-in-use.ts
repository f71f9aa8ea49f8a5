/**
 * Reads the command line of a controller flag by flag, and returns the Flags that remain without
 * the unusable ones.
 */

import { split } from "../controller/flags/arguments.ts";
import { parseFlags } from "../controller/flags/parse.ts";
import { type Flags, flagList } from "../controller/flags.ts";
import { readValue, shown } from "../core/kinds/kind.ts";
import { placeholderIn, variableIn } from "./variables.ts";

export interface FlagInUse {
  /** Without the dashes. */
  readonly name: string;
  readonly text: string;
  /** Its index in the command line. */
  readonly at: number;
  readonly work?: string;
  /** The reason why its value is not known before Kubernetes or a tool fills it in. */
  readonly unjudged?: string;
  /** The reason why it has no effect in Sluice. */
  readonly noEffect?: string;
}

const known = flagList.map(([, flag]) => flag);

export function flagsInUse(argv: readonly string[]): { readonly inUse: readonly FlagInUse[]; readonly flags: Flags } {
  const inUse: FlagInUse[] = [];
  const good: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const alone = split([argv[at]!], known);
    const withNext = alone.ok ? alone : split(argv.slice(at, at + 2), known);
    const here = at;
    if (!withNext.ok) {
      const name = argv[at]!.replace(/^-+/, "").replace(/=.*$/s, "");
      inUse.push({ name, text: "", at: here, work: `remove it: ${withNext.why}` });
      continue;
    }
    if (!alone.ok) at += 1;
    for (const { flag, text } of withNext.given) {
      const read = readValue(flag.kind, text);
      const { noEffect } = flag;
      if (read.ok) good.push(...argv.slice(here, at + 1));
      inUse.push({
        name: flag.name,
        text,
        at: here,
        ...(read.ok ? {} : unreadable(text, read.why)),
        ...(noEffect === undefined ? {} : { noEffect }),
      });
    }
  }
  const parsed = parseFlags(good, "run");
  if (parsed.kind === "flags") return { inUse, flags: parsed.flags };
  const why = parsed.kind === "failure" ? parsed.why : "the controller prints its help or version and ends";
  const nothing = parseFlags([], "run");
  if (nothing.kind !== "flags") throw new TypeError("the default flags cannot be parsed");
  return { inUse: [...inUse, { name: "", text: "", at: 0, work: why }], flags: nothing.flags };
}

/** Kubernetes or a tool may replace a part of the text, and then the value can be good. */
function unreadable(text: string, why: string): Pick<FlagInUse, "work" | "unjudged"> {
  const variable = variableIn(text);
  if (variable !== undefined)
    return { unjudged: `${shown(text)}: Kubernetes puts in the variable ${variable} of the Pod; check what it holds` };
  const hint = placeholderIn(text);
  if (hint !== undefined) return { unjudged: `${shown(text)}: ${hint}` };
  return { work: why.startsWith(shown(text)) ? `it cannot be read: ${why}` : `${shown(text)} cannot be read: ${why}` };
}
