/**
 * Checks the code against docs/architecture.md: which folder imports which, what each one is, and
 * that everything the pages name exists.
 */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { features } from "../../src/core/policies/registry.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/**
 * The rooms of src in their order, with the most lines that each may have, tests and generated
 * files aside. A room imports only rooms before it, and folders of `edges` do not import each
 * other.
 */
const rooms = {
  base: 650,
  kube: 3_100,
  core: 43_900,
  nginx: 3_800,
  edges: 13_250,
  ask: 8_280,
  controller: 5_000,
  tools: 3_710,
  move: 8_000,
  cli: 2_450,
} as const;
const order: readonly string[] = Object.keys(rooms);

/** The folders of `core` in their order. Within a row they do not import each other. */
const core: readonly (readonly string[])[] = [
  ["model"],
  ["certificates"],
  ["tokens"],
  ["kinds"],
  ["schema"],
  ["settings"],
  ["policies"],
  ["sources", "table", "render"],
  ["quarantine"],
  ["sync"],
];
/** Both make the Configuration, so they import each other. */
const together: readonly string[] = ["sources", "table"];

const roomOf = (path: string): string => (path.split("/").length > 2 ? path.split("/")[1]! : "");
const partOf = (path: string): string => path.split("/")[2]!;

function importsOf(path: string): string[] {
  const found = read(path).matchAll(
    /^(?:import|export)[^"]*?from "(\.[^"]+)";|^import "(\.[^"]+)";|\bimport\("(\.[^"]+)"\)/gm,
  );
  return [...found].map(([, one, other, late]) => normalize(join(dirname(path), (one ?? other ?? late)!)));
}

function mistake(from: string, to: string): string | undefined {
  const [room, target] = [roomOf(from), roomOf(to)];
  const arrow = `${from} imports ${to}`;
  if (room === "") return undefined;
  if (room !== target) return order.indexOf(target) >= order.indexOf(room) || target === "" ? arrow : undefined;
  const [part, other] = [partOf(from), partOf(to)];
  if (part === other) return undefined;
  if (room === "edges") return other.endsWith(".ts") ? undefined : arrow;
  if (room !== "core") return undefined;
  if (together.includes(part) && together.includes(other)) return undefined;
  const [row, below] = [part, other].map((name) => core.findIndex((names) => names.includes(name)));
  return below! < row! ? undefined : arrow;
}

const sources = globSync("src/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".test.ts"));

test("imports point to rooms before, and no edge imports another", () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap((path) => importsOf(path).flatMap((to) => mistake(path, to) ?? []))).toEqual([]);
});

test("the program of run and serve has no module of tools and move", () => {
  const waiting = ["src/cli/run.ts", "src/cli/serve.ts"];
  const importers = new Map(waiting.map((path) => [path, ""]));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    // A type is gone when the program is built.
    const types = new Set(
      [...read(path).matchAll(/^(?:import|export) type [^"]*?from "(\.[^"]+)";/gm)].map(([, to]) =>
        normalize(join(dirname(path!), to!)),
      ),
    );
    for (const to of importsOf(path)) {
      if (types.has(to) || importers.has(to) || !sources.includes(to)) continue;
      importers.set(to, path);
      waiting.push(to);
    }
  }
  expect(importers.size).toBeGreaterThan(500);
  const strange = [...importers].filter(([path]) => ["tools", "move"].includes(roomOf(path)));
  expect(strange.map(([path, by]) => `${by} imports ${path}`)).toEqual([]);
});

test("each folder of src is a room, each folder of core has a row, and the top has only two programs", () => {
  const inside = (folder: string) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => name)
      .sort();
  expect(inside("src")).toEqual(order.toSorted());
  expect(inside("src/core")).toEqual(core.flat().toSorted());
  expect(sources.filter((path) => roomOf(path) === "").sort()).toEqual(["src/default-backend.ts", "src/main.ts"]);
});

test("no room has more lines than its budget", () => {
  const counted = Map.groupBy(
    sources.filter((path) => roomOf(path) !== ""),
    roomOf,
  );
  const lines = [...counted].map(([room, paths]) => {
    const count = paths.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);
    return { room, count, most: rooms[room as keyof typeof rooms] };
  });
  const all = lines.reduce((sum, { count }) => sum + count, 0);
  console.log([...lines, { room: "all", count: all }].map(({ room, count }) => `${room} ${count}`).join(", "));
  expect(lines.filter(({ count, most }) => count > most)).toEqual([]);
});

/** Commands that run once: their exceptions end them with a message. */
const runsOnce = /^src\/(tools|move|cli\/(check|compare|compat|completion|convert|explain|reference|routes|status))\b/;

/** A handler that can only settle a promise, or does nothing. `inspect` is made by `callback`. */
const settles = String.raw`(?:\(.*?\) =>\s*(?:resolve|reject|answer)\(|\(\) => \{\}|(?:resolve|reject|ignore|inspect)\b|async \(.*?\) =>\s*resolve\()`;
const bare = [
  /\bsetInterval\(|(?<!\.)\bsetTimeout\(|\bsetImmediate\(/,
  new RegExp(String.raw`\.(?:on|once)\(\s*"\w+",(?!\s*(?:callback\(|${settles}))`),
  /\bcreateServer\((?!\)|[^;]*?\bcallback\()/,
  /\bvoid (?:[\w.#]+\.then\(|this\.#?\w+\(|soon\()/,
];

test("no timer, event, server or promise that is left alone can end the program: all go through callbacks.ts", () => {
  const own = sources.filter((path) => path !== "src/base/callbacks.ts" && !runsOnce.test(path));
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
  const neutral = ["src/core/table/hosts/", "src/core/table/upstreams/", "src/core/render/", "src/core/sync/"];
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
const readByName = ["backendProtocol", "backendRequest", "redirects", "requestBody", "sslRedirect"];

/** Modules of single features whose functions answer what only that feature decides. */
const askedByRender = [
  "backend-tls/text",
  "client-certificate",
  "cors/record",
  "cors/text",
  "custom-errors",
  "external-auth/question",
  "header-changes/record",
  "mirror/record",
  "rate-limits",
  "rewrite/declaration",
  "sessions/declaration",
  "sessions/record",
  "snippets",
  "ssl-ciphers",
];

test("render uses features through hooks and their own functions, and reads few by name", () => {
  const rooms = sources.filter((path) => path.startsWith("src/core/render/"));
  const all = ["declare", "filters", "hooks", "read", "registry", ...askedByRender];
  const imported = rooms.flatMap(importsOf).filter((path) => path.startsWith("src/core/policies/"));
  expect([...new Set(imported)].sort()).toEqual(all.map((name) => `src/core/policies/${name}.ts`).sort());
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

/**
 * Files outside a policy's folder that name it nevertheless: several Ingresses share the cookie of
 * an Upstream, and which of them decides is a matter of the Upstream.
 */
const namingPolicies = ["src/core/table/upstreams/balance.ts"];

test("a policy of both APIs is named in its folder and the registry alone", () => {
  const names =
    /\b(?:cors|customHeaders|mirrors|nextUpstream|proxyTimeouts|sessionAffinity|sessionPersistence|RequestMirror|(?:Request|Response)HeaderModifier)\b/;
  // The nouns of the model, fields of objects of the Gateway API, and words of other controllers.
  const own =
    /^src\/(?:core\/(?:model|kinds|policies\/(?:registry\.ts|(?:cors|header-changes|mirror|retries|sessions|timeouts)\/)|sources\/gateway\/features\.ts)|kube\/wire|edges\/folder\/rules|tools\/findings)/;
  const code = (path: string) =>
    read(path)
      .replace(/^\s*(\/\/|\/?\*).*$/gm, "")
      .replace(/^import .*$|^\} from .*$/gm, "");
  const naming = sources.filter((path) => !own.test(path) && names.test(code(path)));
  expect(naming.sort()).toEqual(namingPolicies);
});

/** Folders with one file for each feature or setting, which grow with them. */
const large = ["src/core/policies", "src/core/settings"];

test("no file under src has more than 400 lines, and no folder has more than 30 files", () => {
  const long = sources.filter((path) => read(path).split("\n").length > 401);
  const counts = Map.groupBy(sources, (path) => dirname(path));
  const full = [...counts].filter(([folder, files]) => files.length > 30 && !large.includes(folder));
  expect([long, full.map(([folder]) => folder)]).toEqual([[], []]);
});

/** Every object of JavaScript has an entry for names such as `constructor`. */
test("sources and table look up words of users in tables by own()", () => {
  const rooms = sources.filter((path) => /^src\/core\/(table|sources)\//.test(path));
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

test("only commands read arguments and environment", () => {
  const readers = sources.filter((path) => /\bprocess\.(argv|env)\b/.test(read(path)));
  // These are a program of its own, the variables of the image's build, and those that nginx
  // inherits.
  const others = ["src/main.ts", "src/default-backend.ts", "src/base/version.ts", "src/nginx/allocator.ts"];
  expect(readers.filter((path) => !/^src\/(cli|tools|move)\//.test(path) && !others.includes(path))).toEqual([]);
});

test("every process of the program is started with execa", () => {
  expect(sources.filter((path) => /\bchild_process\b/.test(read(path)))).toEqual([]);
});

test("the architecture page has a line for every room and every folder of core", () => {
  const page = read("docs/architecture.md");
  const folders = [...order, ...core.flat().map((name) => `core/${name}`)];
  expect(folders.filter((name) => !page.includes(`\`src/${name}/\``))).toEqual([]);
});

const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root })];

test.each(pages)("files that %s names exist", (page) => {
  const text = read(page);
  const named = [...text.matchAll(/`((?:src|test|templates|nginx|charts|scripts|docs|examples|image)\/[\w./-]*)`/g)];
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
  const paths = [...named.map(([, path]) => path!), ...linked.map(([, path]) => join(dirname(page), path!))];
  // The readers of add-an-annotation.md and add-a-policy.md create these files.
  const missing = paths.filter((path) => !existsSync(join(root, path)) && !/send-timeout|frame-options/.test(path));
  expect(missing).toEqual([]);
});
