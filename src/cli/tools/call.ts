/**
 * The command line of a tool on files: flags of the controller, which decide what counts, folders, and `-o json`. The tools
 * take what `sluice serve` takes, so that they say what it would do.
 */
import type { Flags } from "../flags.ts";
import { parseFlags } from "../parse-flags.ts";

export type ToolCall =
  | { readonly kind: "call"; readonly flags: Flags; readonly folders: readonly string[]; readonly json: boolean }
  | { readonly kind: "help" }
  | { readonly kind: "failure"; readonly why: string };

/** `wanted` are the names of the folders, for the sentence that misses one. */
export function toolCall(argv: readonly string[], wanted: readonly string[]): ToolCall {
  const output = outputOf(argv);
  if (typeof output === "string") return { kind: "failure", why: output };
  const parsed = parseFlags(output.rest, "serve");
  if (parsed.kind === "failure") return parsed;
  if (parsed.kind !== "flags") return { kind: "help" };
  if (parsed.rest.length !== wanted.length) {
    const found = parsed.rest.length === 0 ? "none" : parsed.rest.join(" ");
    return { kind: "failure", why: `it takes ${wanted.join(" and ")}, and here is ${found}` };
  }
  return { kind: "call", flags: parsed.flags, folders: parsed.rest, json: output.json };
}

/** The words without `-o FORMAT` and its other spellings; a sentence for a format that does not exist. */
function outputOf(argv: readonly string[]): { readonly json: boolean; readonly rest: readonly string[] } | string {
  const rest: string[] = [];
  let format = "text";
  for (let at = 0; at < argv.length; at += 1) {
    const [, attached] = /^(?:-o=?|--output=)(.+)$/.exec(argv[at]!) ?? [];
    if (attached !== undefined) format = attached;
    else if (argv[at] === "-o" || argv[at] === "--output") format = argv[++at] ?? "";
    else rest.push(argv[at]!);
  }
  if (format === "text" || format === "json") return { json: format === "json", rest };
  return `-o takes text or json, and here is ${JSON.stringify(format)}`;
}
