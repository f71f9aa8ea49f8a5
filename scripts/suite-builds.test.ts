import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const { builds }: { builds: Record<string, string[]> } = await import(join(root, "scripts/suite-builds.mjs"));
const suites = ["nginx", "parity", "hostile", "page", "chart", "e2e", "image", "conformance", "soak"];

test.each(Object.entries(builds))("%s runs before every suite that imports it", (program, listed) => {
  const importing = suites.filter((suite) =>
    globSync(`test/${suite}/**/*.test.ts`, { cwd: root }).some((file) => reachableFrom(file).has(program)),
  );
  expect(importing).not.toEqual([]);
  expect(importing.filter((suite) => !listed.includes(suite))).toEqual([]);
});

/** Returns the files that this one imports, directly or through others. */
function reachableFrom(start: string): Set<string> {
  const seen = new Set([start]);
  for (const file of seen) {
    if (!existsSync(join(root, file))) continue;
    const text = readFileSync(join(root, file), "utf8");
    for (const [, path] of text.matchAll(/\bfrom "(\.[^"]+\.ts)"/g)) seen.add(normalize(join(dirname(file), path!)));
  }
  return seen;
}
