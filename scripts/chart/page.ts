/**
 * Writes docs/chart-values.md, the table of all values, and the lists that the chart's templates
 * read.
 */
import { withOutline } from "../../src/tools/reference/markdown.ts";
import { flag, testedAndCopied } from "./shape.ts";
import type { ChartValue, Fate } from "./value.ts";

const head = `# Chart values, compared with ingress-nginx

This page lists every value of ingress-nginx's chart 4.15.1, and what the chart \`charts/sluice\` does
with it. The page is generated from the declarations in \`scripts/chart/values/\`, as are
\`values.yaml\` and \`values.schema.json\`; a test compares them.

- **same**: the value has the same effect.
- **differs**: it works, and the note gives the difference.
- **no meaning**: it is accepted and has no effect. If it is set to something other than its default,
  the notes after an install name it.
- **own**: only Sluice has it.

Some keys are not on this page. A key that hardly differs from one beside it (one letter in six, and
a value of the same shape) is refused as a typo, and the message names that one. Any other key has
no effect, as in ingress-nginx's chart, even a known one at a wrong level. The notes after an
install name it, and the key that was probably meant; \`sluice compat --values\` does the same. Two
places need no line: \`global\`, which a chart shares with its parent chart, and keys at the top level
that begin with \`x-\`, which usually hold YAML anchors.
Below \`sluice\` a key at a wrong level is refused, too.

A key without a value, such as \`service:\` above lines that are comments, is a null, and helm then
removes the chart's default with all that stands below it. Where the chart cannot do without, it
refuses the key by its name, and \`sluice compat\` does the same.

A flag under \`controller.extraArgs\` is refused if the controller does not have it or cannot read its
value, because the Pods would not start. A key under \`controller.config\` that the ConfigMap does not
have is ignored by the controller, as by ingress-nginx, and the notes name it.

Numbers and booleans may be in quotes, as \`replicaCount: "2"\` and \`enabled: "true"\`. A \`"false"\`
in quotes is a text, as is \`enable\`, and helm counts any text as true; ingress-nginx's chart does the
same. The notes after an install name each such value, so write \`false\` without quotes. There are two
exceptions where \`"false"\` counts as false and other words are refused: values that are copied into an object unchanged, such as
\`runAsNonRoot\`, and each flag below \`sluice\`.
`;

const word: Record<Fate["kind"], string> = { same: "same", differs: "differs", "no-meaning": "no meaning", own: "own" };

export function valuesPage(values: readonly ChartValue[]): string {
  const counts = Object.entries(word).map(
    ([kind, name]) => `| ${name} | ${values.filter((value) => value.fate.kind === kind).length} |`,
  );
  const chapters = [...Map.groupBy(values, (value) => chapterOf(value.path))].map(
    ([chapter, members]) =>
      `## ${chapter}\n\n| value | default | compared | what it does |\n|---|---|---|---|\n${members.map(row).join("\n")}\n`,
  );
  return withOutline(`${head}\n| compared | values |\n|---|---|\n${counts.join("\n")}\n\n${chapters.join("\n")}`);
}

/**
 * Writes a line for NOTES.txt: the path, the default for which nothing is printed, and why the
 * value has no effect.
 */
export function withoutMeaning(values: readonly ChartValue[]): string {
  const list = values.flatMap(({ path, fallback, fate }) =>
    fate.kind === "no-meaning"
      ? [{ path, why: fate.why, ...(fallback === undefined ? {} : { silentAt: fallback }) }]
      : [],
  );
  return `${JSON.stringify(list, null, 2)}\n`;
}

/**
 * Lists for NOTES.txt the values for which a quoted false needs a warning. A value below `sluice`
 * is our own and reads a quoted false as false.
 */
export function switchesFile(values: readonly ChartValue[]): string {
  const tested = values.filter(
    ({ shape, fate }) => [flag, testedAndCopied].includes(shape) && ["same", "differs"].includes(fate.kind),
  );
  return namesFile(tested.map(({ path }) => path));
}

/** Lists every path, for the search for typing mistakes. */
export function pathsFile(values: readonly ChartValue[]): string {
  return `${JSON.stringify(
    values.map(({ path }) => path),
    null,
    2,
  )}\n`;
}

/** Lists the names of the controller's flags, or of the keys of its ConfigMap. */
export const namesFile = (names: readonly string[]): string => `${JSON.stringify(names, null, 2)}\n`;

/** Returns words with what they mean, for hints in NOTES.txt. */
export const wordsFile = (words: ReadonlyMap<string, string>): string =>
  `${JSON.stringify(Object.fromEntries([...words].sort()), null, 2)}\n`;

/** Returns the keys that ended with a version of ingress-nginx, as patterns for helm. */
export function endingsFile(endings: readonly (readonly [RegExp, string])[]): string {
  return `${JSON.stringify(
    endings.map(([keys, why]) => ({ keys: keys.source, why })),
    null,
    2,
  )}\n`;
}

/** Returns the first two keys of a long path. Short paths are in one chapter. */
function chapterOf(path: string): string {
  const keys = path.split(".");
  if (keys.length === 1) return "Top of the file";
  return keys[0] === "controller" && keys.length > 2 ? `controller.${keys[1]}` : keys[0]!;
}

function row({ path, fallback, does, fate }: ChartValue): string {
  const shown = fallback === undefined ? "unset" : `\`${JSON.stringify(fallback)}\``;
  const note = fate.kind === "differs" ? `**${fate.how}**` : fate.kind === "no-meaning" ? fate.why : "";
  return `| \`${path}\` | ${shown} | ${word[fate.kind]} | ${[does, note].filter(Boolean).join(" ").replaceAll("|", "\\|")} |`;
}
