/**
 * Runs the commands of README.md, docs/user-guide.md, docs/operate.md and docs/troubleshooting.md,
 * in their order, with the program that `npm start` starts. A block marked `sh` is run; those of
 * docs/install.md and docs/move.md need a cluster and are run in test/chart/docs.test.ts.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const root = join(import.meta.dirname, "../..");
const read = (page: string) => readFileSync(join(root, page), "utf8");
const pages = ["README.md", "docs/user-guide.md", "docs/operate.md", "docs/troubleshooting.md"];

/** The home folder of a reader who pastes the commands. */
let folder: string;
let demo: ReturnType<typeof startDemo>;
/** Everything that it printed so far. */
let printed = "";

function startDemo() {
  const program = join(root, "scripts/demo.ts");
  return execa(process.execPath, [program], { reject: false, stdin: "ignore", all: true });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-docs-"));
  demo = startDemo();
  demo.all.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const answers = () =>
    request({ to: "127.0.0.1:8080", host: "shop.localhost", path: "/api/items" }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until("what npm start runs to answer", answers, 100_000);
});
afterAll(async () => {
  demo.kill("SIGTERM");
  await demo;
  rmSync(folder, { recursive: true });
});

/** Commands, except those that start what already runs. */
const commands = pages.flatMap((page) =>
  [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block]) => block!.split("\n"))
    .filter(
      (line) => line !== "" && !line.startsWith("npm start") && !line.startsWith("npx @sluice-ingress/sluice serve"),
    )
    .map((line) => [page, line] as const),
);
/** The commands of one page end the program that the others use, so they come last. */
const stops = ([, line]: readonly [string, string]): number => (line.endsWith("/stop") ? 1 : 0);
commands.sort((a, b) => stops(a) - stops(b));

test("npm start prints the address of the page", async () => {
  const [, to, path] = await until("the address", () => /In the browser: http:\/\/([^/]+)(\/\S*) /.exec(printed));
  const { status, body } = await request({ to: to!, path: path!, host: "localhost" });
  expect([status, /<title>.*<\/title>/.exec(body)?.[0]]).toEqual([200, "<title>Sluice</title>"]);
});

test("the pages have commands to run", () => expect(commands.length).toBeGreaterThan(10));

test.each(commands)("the command of %s works: %s", async (_page, line) => {
  const tools = join(root, "test/golden/tools");
  const command = line
    .replace("npx @sluice-ingress/sluice", `${process.execPath} ${join(root, "bin/sluice.mjs")}`)
    .replace("OLD NEW", `${tools}/old ${tools}/new`)
    .replace("FOLDER", "examples/shop");
  const env = { HOME: folder };
  // curl prints its progress on standard error, which is not a failure.
  const complaints = (stderr: string) => (line.startsWith("curl ") ? "" : stderr);
  const { exitCode, stdout, stderr } = await execa("bash", ["--norc", "-uo", "pipefail", "-c", command], {
    cwd: root,
    env,
    reject: false,
  });
  // 1 means that diff found something, or that no Ingress takes the request of why.
  const one = line.includes(" diff ") || line.includes(" why http://other.");
  expect([exitCode, complaints(stderr)]).toEqual([one ? 1 : 0, ""]);
  expect(stdout).not.toBe("");
});

/** All other pages, each with the test that runs its commands. */
const elsewhere: Readonly<Record<string, string>> = {
  "docs/add-a-policy.md": "test/nginx/recipe.test.ts",
  "docs/add-an-annotation.md": "test/nginx/recipe.test.ts",
  "docs/gateway-api.md": "test/nginx/gateway-guide.test.ts",
  "docs/gateway-streams.md": "test/nginx/gateway-streams-guide.test.ts",
  "docs/install.md": "test/chart/docs.test.ts",
  "docs/move-to-gateway-api.md": "test/chart/docs.test.ts",
  "docs/move.md": "test/chart/docs.test.ts",
  "docs/upgrading.md": "test/chart/docs.test.ts",
};

test("a test runs the commands of every page that marks some to be run", () => {
  const all = globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "charts/**/*.md"], { cwd: root });
  const marked = all.filter((page) => /^```sh$/m.test(read(page)));
  expect(marked.filter((page) => !pages.includes(page)).toSorted()).toEqual(Object.keys(elsewhere).toSorted());
  for (const [page, file] of Object.entries(elsewhere)) expect(read(file)).toContain(basename(page));
});

test.skipIf(!existsSync(join(root, "docs/alerts/sluice.yaml")))("each alert has its section in docs/operate.md", () => {
  const rules = parse(read("docs/alerts/sluice.yaml")) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert?: string }[] }[];
  };
  const alerts = rules.groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  const sections = [...read("docs/operate.md").matchAll(/^## (Sluice\w+)$/gm)].map(([, name]) => name);
  expect(sections.toSorted()).toEqual(alerts.toSorted());
});

test("every link to a file of the repository leads to an existing one", () => {
  const all = [
    ...pages,
    "docs/architecture.md",
    "docs/add-an-annotation.md",
    "docs/add-a-policy.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
  ];
  const lost = all.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .map(([, to]) => join(root, page, "..", to!))
      .filter((path) => !existsSync(path) && !path.endsWith("docs/alerts/sluice.yaml"))
      .map((path) => `${page}: ${path}`),
  );
  expect(lost).toEqual([]);
});
