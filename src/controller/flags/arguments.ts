/**
 * Splits a command line into flags and arguments by the rules of pflag, which ingress-nginx's users
 * know: `--a=b`, `--a b`, a switch alone or with `=`, `-v 2`, `-v2`, `-v=2`, `--` before arguments.
 * A long name after a single dash is a mistake.
 */
import { didYouMean } from "../../base/did-you-mean.ts";
import { meaningOf } from "../../core/kinds/vocabulary/places-of-words.ts";
import type { Flag } from "../flag.ts";

export interface Given {
  readonly flag: Flag<unknown>;
  readonly text: string;
}

export type Split =
  | { readonly ok: true; readonly given: readonly Given[]; readonly rest: readonly string[] }
  | { readonly ok: false; readonly why: string };

export function split(argv: readonly string[], known: readonly Flag<unknown>[]): Split {
  const byName = new Map(known.map((flag) => [flag.name, flag]));
  const byLetter = new Map(known.flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag] as const])));
  const given: Given[] = [];
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === "--") return { ok: true, given, rest: [...rest, ...argv.slice(at + 1)] };
    if (word === "-" || !word.startsWith("-")) {
      rest.push(word);
      continue;
    }
    const long = word.startsWith("--");
    const [, name = "", text] = (long ? /^--([^=]*)(?:=(.*))?$/s : /^-(.)(?:=?(.+))?$/s).exec(word) ?? [];
    const flag = (long ? byName : byLetter).get(name);
    if (flag === undefined) return { ok: false, why: unknown(word, byName) };
    if (!long && flag.toggle && text !== undefined) return { ok: false, why: unknown(word, byName) };
    if (text !== undefined) given.push({ flag, text });
    else if (flag.toggle) given.push({ flag, text: "true" });
    else if (at + 1 < argv.length) given.push({ flag, text: argv[++at]! });
    else return { ok: false, why: `${word} needs a value` };
  }
  return { ok: true, given, rest };
}

function unknown(word: string, byName: ReadonlyMap<string, unknown>): string {
  const long = word.replace(/^-+/, "").replace(/=.*$/s, "");
  if (!word.startsWith("--") && byName.has(long)) return `${word}: a long flag has two dashes: --${long}`;
  const written = word.replace(/=.*$/s, "");
  const { nearest, elsewhere } = meaningOf(long, "flag", [...byName.keys()]);
  if (elsewhere !== undefined) return `${written} is not a flag: ${elsewhere}`;
  return `${written} is not a flag${didYouMean(nearest && `--${nearest}`)}`;
}
