/**
 * Checks the code against docs/architecture.md: which folder imports which, what each one is, and
 * that everything the pages name exists.
 */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { features } from "../../src/annotations/registry.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/**
 * The pure rooms in their order. A room imports only rooms of the rows above its own; within a row
 * rooms do not import each other.
 */
const pure = [
  ["shipped.ts"],
  ["version.ts", "callbacks.ts", "visible.ts", "did-you-mean.ts", "file-errors.ts"],
  ["problem.ts"],
  ["timing", "guarded.ts", "severity.ts"],
  ["model"],
  ["missing.ts"],
  ["certificates"],
  ["directives"],
  ["kinds"],
  ["settings"],
  ["annotations"],
  ["translate", "render"],
  ["quarantine", "decide"],
  ["convert"],
  ["sync"],
];

/**
 * Rooms with side effects, by group, and the groups whose rooms they may import beside their own.
 */
const groups = {
  runtime: { rooms: ["kubernetes"], may: [] },
  wire: { rooms: ["wire"], may: ["runtime"] },
  shared: {
    rooms: [
      "resources.ts",
      "watched-folder.ts",
      "operator-token.ts",
      "local-request.ts",
      "one-at-a-time.ts",
      "few-connections.ts",
      "checked-fetch.ts",
    ],
    may: ["runtime", "wire"],
  },
  edges: {
    rooms: [
      ...["cluster", "manifests", "names", "chains", "ocsp"],
      ...[
        "nginx",
        "status",
        "service-ingress",
        "gateway-services",
        "events",
        "metrics",
        "health",
        "routes",
        "profiler",
        "admission",
      ],
    ],
    may: ["runtime", "shared"],
  },
  log: { rooms: ["log"], may: ["edges"] },
  // It reads files, watches their folder, and lets nginx test their text.
  template: { rooms: ["template"], may: ["shared", "edges"] },
} as const;
type Group = keyof typeof groups;

/** Wiring: folders and files that put the rooms together and may import everything. */
const wiring = [
  ...["cli", "page", "controller"],
  ...["main.ts", "machine.ts", "default-backend.ts", "streams-while-away.ts"],
];

const groupOf = (room: string) =>
  (Object.keys(groups) as Group[]).find((name) => (groups[name].rooms as readonly string[]).includes(room));
const rowOf = (room: string) => pure.findIndex((row) => row.includes(room));

function importsOf(path: string): string[] {
  const found = read(path).matchAll(
    /^(?:import|export)[^"]*?from "(\.[^"]+)";|^import "(\.[^"]+)";|\bimport\("(\.[^"]+)"\)/gm,
  );
  return [...found].map(([, one, other, late]) => normalize(join(dirname(path), (one ?? other ?? late)!)));
}

function mistake(from: string, to: string): string | undefined {
  const [room = "", target = ""] = [from, to].map((path) => path.split("/")[1]!);
  const [own, its] = [groupOf(room), groupOf(target)];
  const [row, below] = [rowOf(room), rowOf(target)];
  const arrow = `${from} imports ${to}`;
  if (room === target || (row < 0 && own === undefined)) return undefined;
  if (row >= 0) return below >= 0 && below < row ? undefined : arrow;
  if (target === "sync") return own === "log" || to === "src/sync/ports.ts" ? undefined : arrow;
  if (below >= 0) return own === "runtime" && below > rowOf("model") ? arrow : undefined;
  return its !== undefined && (groups[own!].may as readonly Group[]).includes(its) ? undefined : arrow;
}

const sources = globSync("src/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".test.ts"));

test("imports point down, and no edge imports another", () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap((path) => importsOf(path).flatMap((to) => mistake(path, to) ?? []))).toEqual([]);
});

test("each folder and file of src has one place: a row, a group, or the wiring", () => {
  const placed = [...pure.flat(), ...Object.values(groups).flatMap(({ rooms }) => [...rooms]), ...wiring];
  const present = readdirSync(join(root, "src")).filter((name) => !name.endsWith(".test.ts"));
  expect(placed.toSorted()).toEqual(present.toSorted());
});

/** Commands that run once: their exceptions end them with a message. */
const runsOnce = /^src\/cli\/(check|compare|compat|completion|convert|explain|reference|routes|status|tools)\b/;

/** A handler that can only settle a promise, or does nothing. `inspect` is made by `callback`. */
const settles = String.raw`(?:\(.*?\) =>\s*(?:resolve|reject|answer)\(|\(\) => \{\}|(?:resolve|reject|ignore|inspect)\b|async \(.*?\) =>\s*resolve\()`;
const bare = [
  /\bsetInterval\(|(?<!\.)\bsetTimeout\(|\bsetImmediate\(/,
  new RegExp(String.raw`\.(?:on|once)\(\s*"\w+",(?!\s*(?:callback\(|${settles}))`),
  /\bcreateServer\((?!\)|[^;]*?\bcallback\()/,
  /\bvoid (?:[\w.#]+\.then\(|this\.#?\w+\(|soon\()/,
];

test("no timer, event, server or promise that is left alone can end the program: all go through callbacks.ts", () => {
  const own = sources.filter((path) => path !== "src/callbacks.ts" && !runsOnce.test(path));
  const found = own.flatMap((path) => {
    const code = read(path).replace(/^\s*(\/\/|\/?\*).*$/gm, "");
    return bare.flatMap((form) => form.exec(code)?.[0].trim() ?? []).map((form) => `${path}: ${form}`);
  });
  expect(found).toEqual([]);
});

test("no imports form a circle", () => {
  const imports = new Map(sources.map((path) => [path, importsOf(path)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]) => {
    const from = way.indexOf(path);
    if (from >= 0) circles.push([...way.slice(from), path].join(" -> "));
    if (from >= 0 || done.has(path)) return;
    for (const to of imports.get(path) ?? []) visit(to, [...way, path]);
    done.add(path);
  };
  for (const path of sources) visit(path, []);
  expect(circles).toEqual([]);
});

test("code behind the sources of Claims does not know Ingresses", () => {
  const neutral = ["src/translate/hosts/", "src/translate/upstreams/", "src/render/", "src/sync/"];
  const own = sources.filter((path) => neutral.some((room) => path.startsWith(room)));
  const mistakes = own.flatMap((path) =>
    read(path)
      .split("\n")
      .flatMap((line, at) => (/(?<![-_])\bIngress(es)?\b/.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(mistakes).toEqual([]);
});

/**
 * Features that render reads by name. `docs/architecture.md`, "Features and their hooks", says why
 * no hook replaces this.
 */
const readByName = ["backendProtocol", "backendRequest", "nextUpstream", "redirects", "requestBody", "sslRedirect"];

test("render uses features through the hooks of their declarations, and reads few by name", () => {
  const rooms = sources.filter((path) => path.startsWith("src/render/"));
  const shared = ["declare", "hooks", "read", "registry"].map((name) => `src/annotations/${name}.ts`);
  const imported = rooms.flatMap(importsOf).filter((path) => path.startsWith("src/annotations/"));
  expect([...new Set(imported)].sort()).toEqual(shared);
  const declared = Object.keys(features);
  const named = rooms.flatMap((path) =>
    [
      ...read(path).matchAll(
        /(?:\.features|\bvalues|\bfeatures)\.(\w+)|\{([\w, ]+)\}(?:: FeatureValues| = [\w.![\]]*features;)/g,
      ),
    ]
      .flatMap(([, one, some = ""]) => [one, ...some.split(",").map((name) => name.trim())])
      .filter((name) => declared.includes(name!)),
  );
  expect([...new Set(named)].sort()).toEqual(readByName);
});

/** Folders with one file for each feature or setting, which grow with them. */
const large = ["src/annotations", "src/settings"];

test("no file under src has more than 400 lines, and no folder has more than 25 files", () => {
  const long = sources.filter((path) => read(path).split("\n").length > 401);
  const counts = Map.groupBy(sources, (path) => dirname(path));
  const full = [...counts].filter(([folder, files]) => files.length > 25 && !large.includes(folder));
  expect([long, full.map(([folder]) => folder)]).toEqual([[], []]);
});

/** Every object of JavaScript has an entry for names such as `constructor`. */
test("translate looks up words of users in tables by own()", () => {
  const rooms = sources.filter((path) => path.startsWith("src/translate/"));
  const tables = new Set(
    rooms.flatMap((path) =>
      [...read(path).matchAll(/^(?:export )?const (\w+): Readonly<Record<string,/gm)].map(([, name]) => name!),
    ),
  );
  const lookups = rooms.flatMap((path) =>
    [...read(path).matchAll(/\b(\w+)\[[a-z]/g)].flatMap(([, name]) => (tables.has(name!) ? [`${path}: ${name}`] : [])),
  );
  expect(tables.size).toBeGreaterThan(4);
  expect(lookups).toEqual([]);
});

test("only the command line reads arguments and environment", () => {
  const readers = sources.filter((path) => /\bprocess\.(argv|env)\b/.test(read(path)));
  // These are a program of its own, the variables of the image's build, and those that nginx
  // inherits.
  const others = ["src/main.ts", "src/default-backend.ts", "src/version.ts", "src/nginx/allocator.ts"];
  expect(readers.filter((path) => !path.startsWith("src/cli/") && !others.includes(path))).toEqual([]);
});

test("every process of the program is started with execa", () => {
  expect(sources.filter((path) => /\bchild_process\b/.test(read(path)))).toEqual([]);
});

test("the architecture page has a line for every folder of src", () => {
  const page = read("docs/architecture.md");
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !page.includes(`\`src/${name}/\``))).toEqual([]);
});

const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root })];

test.each(pages)("files that %s names exist", (page) => {
  const text = read(page);
  const named = [...text.matchAll(/`((?:src|test|templates|nginx|charts|scripts|docs|examples|image)\/[\w./-]*)`/g)];
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
  const paths = [...named.map(([, path]) => path!), ...linked.map(([, path]) => join(dirname(page), path!))];
  // The reader of add-an-annotation.md creates these files.
  const missing = paths.filter((path) => !existsSync(join(root, path)) && !path.includes("send-timeout"));
  expect(missing).toEqual([]);
});
