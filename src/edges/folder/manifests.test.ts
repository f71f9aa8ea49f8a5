import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../test/nginx/support/until.ts";
import { systemClock } from "../../base/timing/clock.ts";
import type { IngressClass } from "../../core/model/objects.ts";
import { sentence } from "../../core/model/problem.ts";
import { openManifests } from "./manifests.ts";

const assumedClass: IngressClass = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "nginx" },
  spec: { controller: "k8s.io/ingress-nginx" },
};
const service = (name: string, port: number): string =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {ports: [{port: ${port}}]}\n`;

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-manifests-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(folder: string) {
  const opened = await openManifests(folder, { assumedClass, now: () => new Date() }, systemClock);
  if (!opened.ok) throw new Error(opened.why);
  const { manifests } = opened;
  onTestFinished(() => manifests.close());
  const seen: string[] = [];
  const ports = (): string =>
    [...manifests.snapshot().services]
      .map(([key, { spec }]) => `${key.slice("default/".length)}=${spec?.ports?.[0]?.port}`)
      .sort()
      .join(" ");
  manifests.onChange(() => seen.push(ports()));
  return {
    manifests,
    /** The findings at each notification, in order. */
    seen,
    shows: (wanted: string) => until(`the folder to give ${wanted}`, () => ports() === wanted),
    problemTexts: () => [...manifests.problems().values()].flat().map(sentence),
  };
}

test("files in sub-folders and with each known ending are read, and all others are skipped", async () => {
  const folder = temporary();
  mkdirSync(join(folder, "team/.git"), { recursive: true });
  writeFileSync(join(folder, "team/a.yml"), service("a", 80));
  writeFileSync(
    join(folder, "b.json"),
    JSON.stringify({ apiVersion: "v1", kind: "Service", metadata: { name: "b" }, spec: { ports: [{ port: 80 }] } }),
  );
  for (const name of ["team/.git/c.yaml", "c.yaml~", ".c.yaml.swp", "c.txt"])
    writeFileSync(join(folder, name), service("c", 80));
  const { shows } = await open(folder);
  await shows("a=80 b=80");
});

test("a missing folder gives one sentence", async () => {
  const opened = await openManifests("/nonexistent/folder", { assumedClass, now: () => new Date() }, systemClock);
  expect(opened).toMatchObject({
    ok: false,
    why: "The folder /nonexistent/folder cannot be read: it does not exist.",
  });
});

test("an edit, a new file, a save by renaming, a new folder and a removed file take effect", async () => {
  const folder = temporary();
  const file = join(folder, "a.yaml");
  writeFileSync(file, service("a", 80));
  const { shows } = await open(folder);
  writeFileSync(file, service("a", 81));
  await shows("a=81");
  writeFileSync(join(folder, "b.yaml"), service("b", 80));
  await shows("a=81 b=80");
  writeFileSync(`${file}.new`, service("a", 82));
  renameSync(`${file}.new`, file);
  await shows("a=82 b=80");
  mkdirSync(join(folder, "sub/folder"), { recursive: true });
  writeFileSync(join(folder, "sub/folder/c.yaml"), service("c", 80));
  await shows("a=82 b=80 c=80");
  rmSync(file);
  await shows("b=80 c=80");
});

test.each([
  ["hosts: [a.example]", "spec.rules[0].hosts: a rule has one host, and without it the rule is for all hosts"],
  ["host:", "spec.rules[0].host: it is empty, and the rule would be for all hosts"],
  ['host: ""', "spec.rules[0].host: it is empty, and the rule would be for all hosts"],
])("a rule that loses its host by %j keeps the last good version of its Ingress", async (line, message) => {
  const folder = temporary();
  const written = (host: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop }
spec:
  ingressClassName: nginx
  rules:
    - ${host}
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;
  writeFileSync(join(folder, "shop.yaml"), written("host: a.example"));
  const { manifests } = await open(folder);
  const hosts = () =>
    manifests
      .snapshot()
      .ingresses.get("default/shop")
      ?.spec?.rules?.map(({ host }) => host);
  expect(hosts()).toEqual(["a.example"]);
  writeFileSync(join(folder, "shop.yaml"), written(line));
  await until("the edit is read", () => manifests.problems().size > 0);
  expect([...manifests.problems().values()].flat().map(sentence).join()).toContain(message);
  expect(hosts()).toEqual(["a.example"]);
});

test("a file that is empty for a moment while an editor saves it removes no object", async () => {
  const folder = temporary();
  const file = join(folder, "a.yaml");
  writeFileSync(file, service("a", 80));
  const { manifests, seen, shows } = await open(folder);
  truncateSync(file);
  const { look } = manifests as unknown as { look(): Promise<void> };
  // Events of other files cause further reads like these.
  for (let times = 0; times < 3; times++) await look.call(manifests);
  writeFileSync(file, service("a", 81));
  await shows("a=81");
  expect(seen).not.toContain("");
});

test("an update of a ConfigMap volume, which swaps a link, takes effect", async () => {
  const folder = temporary();
  const publish = (version: string, port: number): void => {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "a.yaml"), service("a", port));
    symlinkSync(version, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  publish("..2026_01", 80);
  symlinkSync("..data/a.yaml", join(folder, "a.yaml"));
  const { shows } = await open(folder);
  await shows("a=80");
  publish("..2026_02", 81);
  rmSync(join(folder, "..2026_01"), { recursive: true });
  await shows("a=81");
  publish("..2026_03", 82);
  await shows("a=82");
});

test("many files at once cause few notifications", async () => {
  const folder = temporary();
  const { seen, manifests } = await open(folder);
  const began = performance.now();
  for (let at = 0; at < 200; at++) writeFileSync(join(folder, `${at}.yaml`), service(`s${at}`, 80));
  await until("all files to be read", () => manifests.snapshot().services.size === 200);
  // At least 15 ms are between two reads, and a busy machine needs many reads to notice all files.
  expect(seen.length).toBeLessThan(Math.max(20, (performance.now() - began) / 15));
});

test("a folder that disappears keeps its objects and gives one Problem", async () => {
  const folder = temporary();
  const inside = join(folder, "manifests");
  mkdirSync(inside);
  writeFileSync(join(inside, "a.yaml"), service("a", 80));
  const { problemTexts, shows, manifests } = await open(inside);
  renameSync(inside, `${inside}-away`);
  await until("the sentence", () => problemTexts().some((one) => one.includes("cannot be read")));
  await shows("a=80");
  renameSync(`${inside}-away`, inside);
  await until("the sentence to go", () => manifests.problems().size === 0);
  await shows("a=80");
});

test("a sparse file of 3 GB and one of a million documents give one sentence each, and other files are read", async () => {
  const folder = temporary();
  writeFileSync(join(folder, "good.yaml"), service("a", 80));
  writeFileSync(join(folder, "sparse.yaml"), "");
  truncateSync(join(folder, "sparse.yaml"), 3 * 1024 ** 3);
  writeFileSync(join(folder, "many.yaml"), "a: 1\n---\n".repeat(1_000_000));
  writeFileSync(join(folder, "dense.yaml"), `[${"{},".repeat(2_000_000)}]`);
  const { shows, problemTexts } = await open(folder);
  await shows("a=80");
  const sentences = problemTexts().join("\n");
  expect(sentences).toContain("it has 3221225472 bytes, and 67108864 are the most");
  expect(sentences).toContain("it has 1000001 documents or items, and 200000 are the most");
  expect(sentences).toContain("it has 2000001 lines and commas, and 1500000 are the most");
});

test("files beyond the limit of the folder are left out, and they are read when others are removed", async () => {
  const folder = temporary();
  writeFileSync(join(folder, "a.yaml"), service("a", 80));
  // The careful reader accepts 250,000 lines of a file. These lines are comments.
  const filler = `${"#\n".repeat(240_000)}---\n`;
  for (let at = 10; at < 24; at++) writeFileSync(join(folder, `b${at}.yaml`), filler + service(`b${at}`, at));
  const { problemTexts, manifests } = await open(folder);
  const services = () => manifests.snapshot().services;
  await until("what there is room for", () => services().size === 13);
  expect(problemTexts().join("\n")).toMatch(/have 3\d+ lines and commas, and 3000000 are the most/);
  // JSON has no limit of lines and commas.
  const asJson = JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "c" },
    spec: { ports: [{ port: 99 }] },
  });
  writeFileSync(join(folder, "c.json"), `${"\n".repeat(240_000)}${asJson}`);
  await until("the JSON", () => services().has("default/c"));
  rmSync(join(folder, "c.json"));
  await until("the JSON to go", () => !services().has("default/c"));
  rmSync(join(folder, "b10.yaml"));
  rmSync(join(folder, "b11.yaml"));
  await until("the others", () => services().has("default/b23") && services().size === 13);
  expect(problemTexts()).toEqual([]);
});

test("circular, self-referring and branching links do not keep the folder from being read", async () => {
  const folder = temporary();
  writeFileSync(join(folder, "a.yaml"), service("a", 80));
  mkdirSync(join(folder, "one"));
  mkdirSync(join(folder, "two"));
  symlinkSync("../two", join(folder, "one/there"));
  symlinkSync("../one", join(folder, "two/back"));
  symlinkSync("..", join(folder, "two/up"));
  symlinkSync("../one", join(folder, "two/again"));
  symlinkSync("itself", join(folder, "itself"));
  for (let at = 0; at < 30; at += 1) {
    mkdirSync(join(folder, `fork-${at}`));
    for (const way of ["left", "right"]) symlinkSync(`../fork-${at + 1}`, join(folder, `fork-${at}`, way));
  }
  const { shows } = await open(folder);
  await shows("a=80");
  writeFileSync(join(folder, "two/b.yaml"), service("b", 81));
  await shows("a=80 b=81");
});
