/**
 * A controller takes over the nginx of another release, whose Lua reads records of another form.
 * The older release is this one with another version of the records: it has another name for the
 * list of a host's patterns.
 */
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { readJournal } from "../../src/nginx/folder/journal-text.ts";
import { nginxHere, openRunFolder, type RunFolder } from "../../src/nginx/index.ts";
import { signal } from "../../src/nginx/orphans.ts";
import { type Master, startMaster } from "../../src/nginx/process/master.ts";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { ingress, ingressClass, service, settings } from "../hostile/support/objects.ts";
import { flagsOf, MemorySource, present, startOn } from "../parity/subject.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const address = "192.0.2.61";
const backendPort = 24_120;
const flags = flagsOf("dynamic", [
  ...["--http-port=24000", "--https-port=24001", "--default-server-port=24002", "--status-port=24003"],
]);
const regex = { "use-regex": "true", "ssl-redirect": "false" };
const objects = [
  ingressClass,
  settings({}),
  ingress({ name: "web", annotations: regex, paths: [["/item/[0-9]+", "ImplementationSpecific"]] }),
  ...service("web", address, backendPort),
];
const answer = async () => {
  const path = { to: "192.0.2.1:24000", host: "web.example", path: "/item/7" };
  const { status, body } = await request(path).catch(({ code }) => ({ status: code, body: "" }));
  return status === 200 ? body : String(status);
};
const renamed = (text: string) => text.replaceAll('"list":', '"older_list":');

/** Gives the run folder the form in which the older release leaves it. */
function age(folder: RunFolder, lua: string): void {
  cpSync(new URL("../../nginx/lua", import.meta.url), lua, { recursive: true });
  for (const path of globSync("**/*.lua", { cwd: lua })) {
    const text = readFileSync(join(lua, path), "utf8");
    writeFileSync(
      join(lua, path),
      text.replaceAll("record.list", "record.older_list").replace(/^local version = "\d+"/m, 'local version = "0"'),
    );
  }
  const conf = readFileSync(folder.conf, "utf8");
  const other = conf.replace(/(return 200 [0-9a-f]{16})[0-9a-f]{16};/, `$1${"0".repeat(16)};`);
  writeFileSync(
    folder.conf,
    other
      .replace(/lua_package_path "[^?]*\/\?/, `lua_package_path "${lua}/?`)
      .replace(/(lua_shared_dict sluice_records)_\d+/, "$1_0"),
  );
  let last = 0;
  const lines = [...readJournal(readFileSync(folder.journal)).records].map(([key, value]) => [key, renamed(value)]);
  const text = [...lines, []].map((change) => {
    const json = JSON.stringify([last, ...change]);
    last = crc32(json);
    return `${hex(last)} ${json}\n`;
  });
  const first = `sluice-journal 0 ${hex(0)} ${"0".repeat(15)}`;
  writeFileSync(folder.journal, `${first} ${hex(crc32(first))}\n${text.join("")}`);
}

const hex = (sum: number) => sum.toString(16).padStart(8, "0");

test("no request to a host with patterns fails while a release with another form of records takes over", async () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-release-"));
  const lua = mkdtempSync(join(tmpdir(), "sluice-lua-"));
  const backend = createServer((_, response) => response.end("web")).listen(backendPort, address);
  const opened = openRunFolder(root);
  const installed = await nginxHere("nginx", process.env.PATH ?? "");
  if (!opened.ok || !installed.ok) throw new Error("nginx or the run folder is missing");
  const { folder } = opened;
  onTestFinished(async () => {
    for (const { pid } of nginxProcesses(folder)) signal(pid, "SIGKILL");
    await until("no nginx", () => nginxProcesses(folder).length === 0);
    backend.close();
    for (const path of [root, lua]) rmSync(path, { recursive: true });
  });
  const start = async () => {
    const source = new MemorySource();
    source.change(objects.map(present));
    const controller = await startOn(source, root, flags, () => {}, { nginx: installed, endWithController: false });
    await controller.settled();
    return controller;
  };
  const first = await start();
  expect(await answer()).toBe("web");
  await first.stop(0);
  age(folder, lua);
  const { binary } = installed.nginx.capabilities;
  const older = await startMaster({ binary, folder, endWithController: false, onLine: () => {} }, "older");
  await until("the older release", async () => (await answer()) === "web");

  const answers = new Map<string, number>();
  let going = true;
  const clients = Array.from({ length: 4 }, async () => {
    while (going) {
      const got = await answer();
      answers.set(got, (answers.get(got) ?? 0) + 1);
    }
  });
  const controller = await start();
  for (let more = 0; more < 20; more++) expect(await answer()).toBe("web");
  going = false;
  await Promise.all(clients);
  expect(nginxProcesses(folder).find(({ role }) => role === "master")?.pid).toBe((older as Master).pid);
  expect(readFileSync(folder.conf, "utf8")).not.toContain(lua);
  expect([...answers.keys()]).toEqual(["web"]);
  await controller.stop(0);
});
