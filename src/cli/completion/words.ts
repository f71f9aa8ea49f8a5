/** The words that may follow each command, from the declarations. */

import type { Flag } from "../../controller/flag.ts";
import { modes } from "../../controller/flags/changes.ts";
import { flagList } from "../../controller/flags.ts";
import { contextOption, outputOption, type ToolOption } from "../../tools/call.ts";
import { checkOptions } from "../check.ts";
import type { Command } from "../command.ts";
import { compareOptions } from "../compare.ts";
import { compatOptions } from "../compat.ts";
import { convertOptions } from "../convert.ts";
import { allNames } from "../explain.ts";
import { routesOptions } from "../routes.ts";
import { statusOptions } from "../status.ts";
import { whyOptions } from "../why.ts";

export interface CommandWords {
  readonly name: string;
  readonly doc: string;
  /** The words that may follow. If the list is empty, names of files follow. */
  readonly words: readonly string[];
  readonly flags: readonly FlagWord[];
}

export interface FlagWord {
  /** Without the dashes. */
  readonly name: string;
  readonly doc: string;
  readonly hasValue: boolean;
  /** The flag's possible values, if they are few. */
  readonly values: readonly string[];
}

const all: readonly FlagWord[] = flagList.map(([, flag]) => ofFlag(flag));
const ofFolder = flagList
  .filter(([name, { cluster }]) => !cluster || name === "kubeconfig")
  .map(([, flag]) => ofFlag(flag));
const tool = (options: readonly ToolOption[] = []) => [
  ...[outputOption, contextOption, ...options].map(ofOption),
  ...ofFolder,
];

const flagsOf: Readonly<Record<string, readonly FlagWord[]>> = {
  run: all,
  serve: ofFolder,
  check: tool(checkOptions),
  diff: tool(),
  render: tool(),
  routes: tool(routesOptions),
  status: [outputOption, ...statusOptions].map(ofOption),
  why: tool(whyOptions),
  compat: tool(compatOptions),
  compare: tool(compareOptions),
  convert: tool(convertOptions),
};

const wordsOf: Readonly<Record<string, () => readonly string[]>> = {
  explain: allNames,
  reference: () => ["annotations", "settings", "flags", "metrics"],
  completion: () => ["bash", "zsh", "fish"],
};

export function commandWords(commands: Readonly<Record<string, Command>>): readonly CommandWords[] {
  return Object.entries(commands).map(([name, { doc }]) => ({
    name,
    doc,
    words: [...new Set(wordsOf[name]?.() ?? [])].sort(),
    flags: flagsOf[name] ?? [],
  }));
}

function ofFlag({ name, doc, toggle }: Flag<unknown>): FlagWord {
  return { name, doc, hasValue: toggle !== true, values: name === "mode" ? modes : [] };
}

function ofOption({ name, doc, value }: ToolOption): FlagWord {
  return { name, doc, hasValue: value !== undefined, values: name === outputOption.name ? ["text", "json"] : [] };
}
