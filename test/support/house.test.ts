/** The house as docs/architecture.md tells it: who imports whom, what each folder is, and that what the pages name is there. */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Groups of rooms, and whose rooms they may import besides their own. Only where a group is `open` do its rooms import each other. */
const groups = {
  nouns: { rooms: ["model", "problem.ts", "guarded.ts", "visible.ts", "clock.ts", "version.ts"], open: true, may: [] },
  pure: {
    rooms: ["certificates", "kinds", "annotations", "settings", "render", "translate"],
    open: true,
    may: ["nouns"],
  },
  sync: { rooms: ["sync"], open: false, may: ["nouns", "pure"] },
  runtime: { rooms: ["kubernetes"], open: false, may: ["nouns"] },
  shared: {
    rooms: ["resources.ts", "watched-folder.ts", "operator-token.ts", "checked-fetch.ts"],
    open: false,
    may: ["nouns", "pure", "runtime"],
  },
  edges: {
    rooms: [
      ...["cluster", "manifests", "names", "chains", "ocsp"],
      ...["nginx", "status", "service-ingress", "events", "metrics", "health", "routes", "profiler", "admission"],
    ],
    open: false,
    may: ["nouns", "pure", "sync", "runtime", "shared"],
  },
  log: { rooms: ["log"], open: false, may: ["nouns", "sync", "edges"] },
} as const;
type Group = keyof typeof groups;

/** Whatever is in no group is wiring, and may import all. */
const groupOf = (room: string) =>
  (Object.keys(groups) as Group[]).find((name) => (groups[name].rooms as readonly string[]).includes(room));

function importsOf(path: string): string[] {
  const found = read(path).matchAll(
    /^(?:import|export)[^"]*?from "(\.[^"]+)";|^import "(\.[^"]+)";|\bimport\("(\.[^"]+)"\)/gm,
  );
  return [...found].map(([, one, other, late]) => normalize(join(dirname(path), (one ?? other ?? late)!)));
}

function mistake(from: string, to: string): string | undefined {
  const [room = "", target = ""] = [from, to].map((path) => path.split("/")[1]!);
  const [own, its] = [groupOf(room), groupOf(target)];
  if (room === target || own === undefined) return undefined;
  const arrow = `${from} imports ${to}`;
  if (its === undefined) return arrow;
  if (own === its) return groups[own].open ? undefined : arrow;
  if (!(groups[own].may as readonly Group[]).includes(its)) return arrow;
  return own === "edges" && its === "sync" && to !== "src/sync/ports.ts" ? arrow : undefined;
}

const sources = globSync("src/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".test.ts"));

test("imports point down, and no edge imports another", () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap((path) => importsOf(path).flatMap((to) => mistake(path, to) ?? []))).toEqual([]);
});

test("only the command line reads arguments and environment", () => {
  const readers = sources.filter((path) => /\bprocess\.(argv|env)\b/.test(read(path)));
  // a program of its own, and what the image's build says of itself
  const others = ["src/main.ts", "src/default-backend.ts", "src/version.ts"];
  expect(readers.filter((path) => !path.startsWith("src/cli/") && !others.includes(path))).toEqual([]);
});

test("every folder of src has its line in the architecture page", () => {
  const page = read("docs/architecture.md");
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !page.includes(`\`src/${name}/\``))).toEqual([]);
});

const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root })];

test.each(pages)("files that %s names are there", (page) => {
  const text = read(page);
  const named = [...text.matchAll(/`((?:src|test|templates|nginx|charts|scripts|docs|examples|image)\/[\w./-]*)`/g)];
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
  const paths = [...named.map(([, path]) => path!), ...linked.map(([, path]) => join(dirname(page), path!))];
  // what add-an-annotation.md tells to write
  const missing = paths.filter((path) => !existsSync(join(root, path)) && !path.includes("send-timeout"));
  expect(missing).toEqual([]);
});
