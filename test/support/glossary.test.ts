/**
 * Checks that docs/glossary.md explains the words of this project, each with an example, and each
 * exported class of the pure rooms.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const page = read("docs/glossary.md");

const rooms = "{base/timing,core,ask/matcher,move/convert}";
const modules = globSync([`src/${rooms}/**/*.ts`, "src/base/*.ts"], { cwd: root }).filter(
  (path) => !path.endsWith(".test.ts"),
);

/**
 * Classes that need no explanation, because their names are terms of Kubernetes, nginx or the
 * field.
 */
const namedByTheField = [
  ...["Certificates", "Problems", "Servers", "Streams", "Upstreams", "Claims", "Generations", "Shapes", "Suspects"],
  ...["Translator", "StaticRenderer", "DynamicRenderer", "TemplateError", "RecordPublisher", "RouteHandover"],
  ...["TokenBucket", "WakeUps", "Reloads", "Retry", "Sync"],
  ...["GatewayApi", "Gateways", "Grants", "ListenerSets", "RouteSource", "StandIns", "ServiceUsers", "OwnServices"],
  ...["BackendTlsPolicies", "References", "DefaultGateways"],
];

/** The terms in bold at the start of a paragraph, `**dynamic mode, static mode.** ...`. */
const entries = [...page.matchAll(/^\*\*([^*]+)\.\*\* ([\s\S]*?)(?=\n\n)/gm)].map(([, terms, text]) => ({
  terms: terms!.split(", "),
  text: text!,
}));
const explained = new Set([
  ...entries.flatMap(({ terms }) => terms.map((term) => term.toLowerCase().replaceAll(" ", ""))),
  ...[...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!.toLowerCase()),
]);

test("each word in the glossary has an example and is explained once", () => {
  expect(entries.length).toBeGreaterThan(30);
  const without = entries.filter(({ text }) => !/\bExample:\s/.test(text)).map(({ terms }) => terms.join());
  expect(without).toEqual([]);
  const terms = entries.flatMap((entry) => entry.terms);
  expect(terms.filter((term, i) => terms.indexOf(term) !== i)).toEqual([]);
});

test("each exported class of the pure rooms is in the glossary, or has a term of the field as its name", () => {
  const classes = modules.flatMap((path) =>
    [...read(path).matchAll(/^export (?:abstract )?class (\w+)/gm)].map(([, name]) => ({ path, name: name! })),
  );
  const unknown = classes.filter(({ name }) => !explained.has(name.toLowerCase()) && !namedByTheField.includes(name));
  expect(unknown.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  const names = classes.map(({ name }) => name);
  const gone = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!).filter((name) => !names.includes(name));
  expect([...gone, ...namedByTheField.filter((name) => !names.includes(name))]).toEqual([]);
});
