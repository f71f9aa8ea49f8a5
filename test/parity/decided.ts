/**
 * Finds the cases in which Sluice deliberately answers differently from ingress-nginx. Each
 * decision is a heading of `docs/differences.md`, with a line `parity: routing/canary-false,
 * access/satisfy-all` below it. The expected answer lies beside the recording as
 * `NAME.differs.json`. One without the other is a mistake, so no answer differs without a reason
 * that users can read.
 */
import { existsSync, readFileSync } from "node:fs";
import { caseNames, hasDifference } from "./case.ts";

const page = new URL("../../docs/differences.md", import.meta.url);

/** Returns the heading for each case that differs, by the name of the case. */
export function decidedDifferences(text: string): ReadonlyMap<string, string> {
  const headings = new Map<string, string>();
  let heading = "";
  for (const line of text.split("\n")) {
    heading = /^#+ +(.+)/.exec(line)?.[1] ?? heading;
    const names = /^\s*(?:[-*] +)?parity: *(.+)/.exec(line)?.[1] ?? "";
    for (const name of names.split(/[,\s]+/).filter(Boolean)) headings.set(name.replaceAll("`", ""), heading);
  }
  return headings;
}

export function differencesPage(): string {
  return existsSync(page) ? readFileSync(page, "utf8") : "";
}

/**
 * Returns the inconsistencies: an entry without a case, an entry without its answer, an answer
 * without an entry.
 */
export function mismatches(decided: ReadonlyMap<string, string>): readonly string[] {
  const names = caseNames();
  return [
    ...[...decided]
      .filter(([name]) => !names.includes(name))
      .map(([name, at]) => `"${at}" names ${name}: no such case`),
    ...names.flatMap((name) => {
      if (decided.has(name) && !hasDifference(name))
        return [`${name}.differs.json is missing, "${decided.get(name)}" names it`];
      if (!decided.has(name) && hasDifference(name))
        return [`docs/differences.md does not name ${name}, which has a .differs.json`];
      return [];
    }),
  ];
}
