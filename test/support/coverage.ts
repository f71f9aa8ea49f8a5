/**
 * Finds the declared names (annotations, ConfigMap keys, flags) that behaviour tests use, which are
 * tests that send requests to a real nginx. The names of the corpus are read from its cases. Those
 * of `test/nginx` are read from the text of the tests, where a name counts as the name of a
 * property or as a string of its own. A case that is always skipped does not count.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { caseNames, loadCase } from "../parity/case.ts";
import { featuresOf, notBuilt, wordsUsedBy } from "../parity/features.ts";

export interface Coverage {
  readonly tested: readonly string[];
  readonly untested: readonly string[];
  /**
   * `annotations: 138 declared, 138 with a behaviour test, 0 without`, and the names of those
   * without.
   */
  readonly line: string;
}

/** `what` is the plural of the noun. */
export function coverageOf(what: string, declared: readonly string[], used: ReadonlySet<string>): Coverage {
  const tested = declared.filter((name) => used.has(name));
  const untested = declared.filter((name) => !used.has(name));
  const names = untested.length === 0 ? "" : `: ${untested.join(" ")}`;
  const counts = `${declared.length} declared, ${tested.length} with a behaviour test, ${untested.length} without`;
  return { tested, untested, line: `${what}: ${counts}${names}` };
}

/**
 * Returns the names in the cases of the corpus: annotations without prefix, ConfigMap keys, and
 * flags with their dashes and without values.
 */
export function usedByCorpus(): Readonly<Record<"annotations" | "settings" | "flags", ReadonlySet<string>>> {
  const cases = caseNames().map(loadCase);
  const run = cases.filter((one) => !featuresOf(one).some((feature) => notBuilt.includes(feature))).map(wordsUsedBy);
  const all = (kind: keyof ReturnType<typeof wordsUsedBy>) => new Set(run.flatMap((words) => words[kind]));
  return { annotations: all("annotations"), settings: all("settings"), flags: all("flags") };
}

/**
 * Returns the names of annotations, keys and flags that the tests in `test/nginx` use; flags have
 * their dashes. If a name is an annotation and a key, `counts` chooses by the file name, such as
 * `settings-live.test.ts`, which files count.
 */
export function usedInNginxTests(counts: (file: string) => boolean): ReadonlySet<string> {
  return usedIn("nginx", counts);
}

/** Does the same as `usedInNginxTests` for the tests on the image. */
export function usedInImageTests(counts: (file: string) => boolean): ReadonlySet<string> {
  return usedIn("image", counts);
}

/** Does the same as `usedInNginxTests` for the hostile tests. */
export function usedInHostileTests(): ReadonlySet<string> {
  return usedIn("hostile", () => true);
}

/** Does the same as `usedInNginxTests` for the tests with a real API server. */
export function usedInClusterTests(): ReadonlySet<string> {
  return usedIn("e2e", () => true);
}

function usedIn(suite: string, counts: (file: string) => boolean): ReadonlySet<string> {
  const folder = join(import.meta.dirname, `../${suite}`);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
  return new Set(files.filter(counts).flatMap((file) => namesIn(readFileSync(join(folder, file), "utf8"))));
}

/**
 * Returns the names of properties, and the names in quoted texts, with or without prefix, dashes
 * and the value of a flag.
 */
export function namesIn(source: string): readonly string[] {
  const quoted = [...source.matchAll(/["'`](?:[a-z0-9.-]+\/)?((?:--)?[a-z][a-z0-9-]*)(?=["'`]|=)/g)];
  const properties = [...source.matchAll(/[{,]\s*([a-z][a-z0-9]*):/g)];
  return [...quoted, ...properties].map(([, name]) => name!);
}
