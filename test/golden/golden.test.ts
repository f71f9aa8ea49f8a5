/**
 * Whole answers: a case is a folder with `cluster.yaml`; beside it lie the nginx.conf of both modes, the records and the
 * Problems that Sluice makes of it. `npm test golden -- --update` rewrites what changed, so a review reads nginx in the diff.
 * Each nginx.conf also passes `nginx -t`, or a golden file could bless what nginx refuses.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { fakeCertificate } from "../../src/certificates/fake.ts";
import { defaultFlags } from "../../src/cli/flags.ts";
import { machineFlags, translateOptions } from "../../src/cli/options.ts";
import { luaFolder, machineOf } from "../../src/machine.ts";
import type { Certificate } from "../../src/model/configuration.ts";
import { type KubernetesObject, keyOf } from "../../src/model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../src/model/snapshot.ts";
import { askCapabilities, type Capabilities, openRunFolder, placeHere, type RunFolder } from "../../src/nginx/index.ts";
import { named, sentence } from "../../src/problem.ts";
import { DynamicRenderer } from "../../src/render/dynamic/renderer.ts";
import type { Machine } from "../../src/render/machine.ts";
import { StaticRenderer } from "../../src/render/static/renderer.ts";
import { compileTemplate, type Template } from "../../src/render/template.ts";
import { builtInTemplates, readTemplateFiles } from "../../src/template/files.ts";
import { type Translation, translate } from "../../src/translate/translator.ts";
import { emptyInputs } from "../../src/translate/turn.ts";

const cases = new URL("cases/", import.meta.url);
const root = mkdtempSync(join(tmpdir(), "golden-"));
let folder: RunFolder;
let capabilities: Capabilities;
let template: Template;
let fake: Certificate;

beforeAll(async () => {
  const [opened, asked] = [openRunFolder(root), await askCapabilities("nginx", process.env.PATH ?? "")];
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!opened.ok || !asked.ok || !compiled.ok) throw new Error("nginx, its folder or the template cannot be used");
  ({ folder } = opened);
  ({ capabilities } = asked);
  ({ template } = compiled);
  fake = await fakeCertificate(new Date());
});
afterAll(() => rmSync(root, { recursive: true }));

function translated(name: string): Translation {
  const text = readFileSync(new URL(`${name}/cluster.yaml`, cases), "utf8");
  const objects = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
  const changes = objects.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object }));
  const flags = {
    ...defaultFlags("run"),
    configmap: "ingress-nginx/settings",
    tcpServicesConfigmap: "ingress-nginx/tcp",
  };
  const snapshot = withObjects(emptySnapshot, changes);
  return translate({ ...emptyInputs, snapshot }, translateOptions(flags, "run", undefined), fake);
}

/** What differs from machine to machine is the same in every golden file. */
function machine(mode: Machine["mode"]): Machine {
  const logs = { accessLog: "/dev/null", errorLog: "stderr" };
  const here = machineOf(capabilities, placeHere(), folder, machineFlags({ ...defaultFlags("run"), mode }, logs));
  const around = { ...here.around, cpus: 2, openFiles: 4096, ipv6: false, nameservers: ["192.0.2.53"], backlog: 511 };
  return { ...here, around, user: "root", nameKey: "" };
}

function neutral(text: string): string {
  return (
    text
      .replaceAll(folder.root, "/run/sluice")
      .replaceAll(luaFolder, "/usr/share/sluice/lua")
      .replace(/load_module "\S*\/(\w+\.so)"/g, 'load_module "$1"')
      // A machine may have more modules than these cases need.
      .replace(/^ *load_module "(?!ndk_http|ngx_http_lua|ngx_stream_mod|ngx_http_headers)\w+\.so";\n/gm, "")
      .replace(/return 200 [0-9a-f]{32};/, "return 200 GENERATION;")
  );
}

const names = readdirSync(cases);

test("another text of the Lua is another generation, so that an nginx with the one before is reloaded", () => {
  const { configuration } = translated("limits");
  const generation = (mode: Machine["mode"], luaVersion: string): string => {
    const here = { ...machine(mode), luaVersion };
    const renderer = mode === "dynamic" ? new DynamicRenderer(here, template) : new StaticRenderer(here, template);
    return renderer.render(configuration).text.generation;
  };
  expect(generation("dynamic", "new")).not.toBe(generation("dynamic", "old"));
  expect(generation("static", "new")).toBe(generation("static", "old"));
});

test.each(names)("%s in dynamic mode", async (name) => {
  const renderer = new DynamicRenderer(machine("dynamic"), template);
  const { text } = renderer.render(translated(name).configuration);
  const records = [...renderer.records].filter(([key]) => !key.startsWith("pair ")).sort();
  const listed = records.map(([key, value]) => `${key}\n${JSON.stringify(parsed(value), null, 1)}\n`).join("");
  await expect(neutral(text.conf)).toMatchFileSnapshot(pathOf(name, "nginx.conf"));
  await expect(listed).toMatchFileSnapshot(pathOf(name, "records.txt"));
  expect(await refusal(text)).toBe("");
});

test.each(names)("%s in static mode", async (name) => {
  const { text } = new StaticRenderer(machine("static"), template).render(translated(name).configuration);
  await expect(neutral(text.conf)).toMatchFileSnapshot(pathOf(name, "static.nginx.conf"));
  expect(await refusal(text)).toBe("");
});

test.each(names)("%s: what its authors are told", async (name) => {
  const said = [...translated(name).problems.values()].flat().map((one) => `${named(one.object)}: ${sentence(one)}\n`);
  await expect(said.sort().join("")).toMatchFileSnapshot(pathOf(name, "problems.txt"));
});

function pathOf(name: string, file: string): string {
  return fileURLToPath(new URL(`${name}/${file}`, cases));
}

/** A record is JSON, but for the one that names a certificate. */
function parsed(value: string): unknown {
  return value.startsWith("{") ? JSON.parse(value) : value;
}

/** What nginx says against the text; empty where it takes it. */
async function refusal({
  conf,
  files,
}: {
  conf: string;
  files: readonly { path: string; content: string | Uint8Array }[];
}) {
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder.root, path)), { recursive: true });
    writeFileSync(join(folder.root, path), content);
  }
  writeFileSync(folder.conf, conf);
  const args = ["-t", "-q", "-c", folder.conf, "-e", "stderr", "-g", `pid ${folder.pid};`];
  const run = await execa(capabilities.binary, args, { reject: false });
  return run.exitCode === 0 ? "" : run.stderr;
}
