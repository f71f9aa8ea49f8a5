/**
 * bash itself does the completion: the script is sourced, and its function is called as bash calls
 * it.
 */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { flagList } from "../controller/flags.ts";
import { commands } from "./commands.ts";
import { completion } from "./completion.ts";

function script(shell: string): string {
  const written: string[] = [];
  expect(completion([shell], commands, { write: (text) => written.push(text), fail: () => {} })).toBe(0);
  return written.join("");
}

/** Returns the words that bash offers for the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const commands = `eval "$(cat)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_sluice
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["-euc", commands, "bash", ...words], { input: script("bash"), encoding: "utf8" });
  return out.split("\n").filter((line) => line !== "");
}

test.each([
  [["sluice", "ch"], ["check"]],
  [
    ["sluice", "comp"],
    ["compat", "compare", "completion"],
  ],
  [
    ["sluice", "check", "-o", ""],
    ["text", "json"],
  ],
  [["sluice", "check", "--output", "=", "j"], ["json"]],
  [["sluice", "render", "--mode", "=", "s"], ["static"]],
  [["sluice", "compat", "--val"], ["--values"]],
  [["sluice", "explain", "proxy-read-"], ["proxy-read-timeout"]],
  [["sluice", "explain", "auth-tls-s"], ["auth-tls-secret"]],
  [["sluice", "reference", "s"], ["settings"]],
  [
    ["sluice", "completion", ""],
    ["bash", "fish", "zsh"],
  ],
  [["sluice", "check", "shop"], []],
])("bash completes the words %j", (words, expected) => expect(offered(...words)).toEqual(expected));

test.each(["bash", "zsh", "fish"])("completion for %s offers every command and every flag of run", (shell) => {
  const text = script(shell);
  for (const [, { name }] of flagList) expect(text).toContain(name);
  for (const name of ["check", "diff", "render", "compat", "routes"]) expect(text).toContain(name);
});

test("completion for an unknown shell is refused", () => {
  const printed: string[] = [];
  expect(completion(["tcsh"], commands, { write: () => {}, fail: (why) => printed.push(why) })).toBe(2);
  expect(printed).toEqual(["sluice completion takes one word: bash, zsh or fish"]);
});
