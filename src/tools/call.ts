/**
 * The command line of a tool: flags of the controller, files or folders, and the tool's own
 * options. The tools accept the flags of `sluice serve`, so that they show its behaviour. For a
 * cluster they show the behaviour of its controller.
 */

import { parseFlags } from "../controller/flags/parse.ts";
import type { Flags } from "../controller/flags.ts";

/** An option that only a tool has. */
export interface ToolOption {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** The value in the help text; a switch has none. */
  readonly value?: string;
  readonly doc: string;
  /** If given twice, the values are joined with a comma. */
  readonly list?: true;
}

export const outputOption: ToolOption = { name: "output", short: "o", value: "FORMAT", doc: "text or json." };
export const contextOption: ToolOption = {
  name: "context",
  value: "NAME",
  doc: "Reads the cluster of this context of the kubeconfig.",
};

export interface ToolShape {
  /**
   * The names of the folders, for the sentence that reports a missing one. With `optional` the last
   * may be left out.
   */
  readonly folders: readonly string[];
  readonly optional?: boolean;
  /** The values of `-o`; text and json by default. */
  readonly outputs?: readonly string[];
  /** Besides `-o` and `--context`. */
  readonly options?: readonly ToolOption[];
}

export interface Call {
  readonly kind: "call";
  readonly flags: Flags;
  readonly folders: readonly string[];
  readonly output: string;
  readonly json: boolean;
  readonly options: Readonly<Record<string, string>>;
  /** The words that are flags of the controller. */
  readonly argv: readonly string[];
  /** Whether a cluster is read: with `--kubeconfig` or `--context`. */
  readonly live: boolean;
}

export type ToolCall = Call | { readonly kind: "help" } | { readonly kind: "failure"; readonly why: string };

export function toolCall(argv: readonly string[], shape: ToolShape): ToolCall {
  const taken = optionsIn(argv, [outputOption, contextOption, ...(shape.options ?? [])]);
  if (!taken.ok) return { kind: "failure", why: taken.why };
  const { options, rest } = taken;
  const { output = "text" } = options;
  const { outputs = ["text", "json"] } = shape;
  if (!outputs.includes(output)) {
    const known = `${outputs.slice(0, -1).join(", ")} or ${outputs.at(-1)}`;
    return { kind: "failure", why: `-o takes ${known}, and here is ${JSON.stringify(output)}` };
  }
  const onFiles = parseFlags(rest, "serve");
  if (onFiles.kind === "failure") return onFiles;
  if (onFiles.kind !== "flags") return { kind: "help" };
  const { rest: folders } = onFiles;
  const live = onFiles.flags.kubeconfig !== undefined || options.context !== undefined;
  const flags = live ? flagsInCluster(rest, onFiles.flags) : onFiles.flags;
  const least = shape.folders.length - (live || shape.optional ? 1 : 0);
  if (folders.length < least || folders.length > shape.folders.length) {
    const found = folders.length === 0 ? "none" : folders.join(" ");
    return { kind: "failure", why: `it takes ${shape.folders.join(" and ")}, and here is ${found}` };
  }
  const json = output === "json";
  return {
    kind: "call",
    flags,
    folders,
    output,
    json,
    options,
    argv: rest.filter((word) => !folders.includes(word)),
    live,
  };
}

/** Returns the flags of a controller in the cluster, with the ConfigMap that the chart gives it. */
function flagsInCluster(words: readonly string[], { configmap }: Flags): Flags {
  const parsed = parseFlags(words, "run");
  if (parsed.kind !== "flags") throw new Error("the same words were flags for serve");
  return { ...parsed.flags, configmap };
}

type Taken =
  | { readonly ok: true; readonly options: Readonly<Record<string, string>>; readonly rest: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** Removes `-o FORMAT`, `-oFORMAT`, `--output=FORMAT` and the like from the words. */
export function optionsIn(argv: readonly string[], known: readonly ToolOption[]): Taken {
  const rest: string[] = [];
  const options: Record<string, string> = {};
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    const option = known.find(({ name, short }) => isSpelling(word, name, short));
    if (option === undefined) {
      rest.push(word);
      continue;
    }
    const [, attached] = /^(?:--[\w-]+=|-\w=?)(.+)$/s.exec(word) ?? [];
    if (option.value === undefined) {
      options[option.name] = "true";
      continue;
    }
    const text = attached ?? argv[++at];
    if (text === undefined) return { ok: false, why: `${word} needs a value` };
    const before = options[option.name];
    options[option.name] = option.list && before !== undefined ? `${before},${text}` : text;
  }
  return { ok: true, options, rest };
}

function isSpelling(word: string, name: string, short: string | undefined): boolean {
  if (word === `--${name}` || word.startsWith(`--${name}=`)) return true;
  return short !== undefined && word.startsWith(`-${short}`) && !word.startsWith("--");
}
