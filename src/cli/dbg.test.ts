import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Journal } from "../nginx/folder/journal.ts";
import { pathsOf } from "../nginx/index.ts";
import { dbg } from "./dbg.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-dbg-"));
beforeAll(async () => {
  const folder = pathsOf(root);
  mkdirSync(folder.data);
  writeFileSync(folder.conf, "events {}\n");
  const upstream = (...endpoints: readonly string[]) => JSON.stringify({ endpoints });
  const records: readonly (readonly [string, string])[] = [
    ["host shop.example", "{}"],
    ["upstream shop/web/80", upstream("192.0.2.1:8080", "[2001:db8::1]:8080")],
    ["upstream a", JSON.stringify({ label: "shop-api-80", endpoints: [] })],
    ["sni *.example", "wild"],
    ["pair wild", "0a1b 6\nCHAIN\nKEY\n"],
  ];
  await (await Journal.open(folder.journal)).write(records);
});
afterAll(() => rmSync(root, { recursive: true }));

async function ask(...words: readonly string[]) {
  const printed: string[] = [];
  const say = (text: string) => void printed.push(text);
  const code = await dbg(words, { write: say, fail: say }, { SLUICE_RUN_FOLDER: root });
  return { code, text: printed.join("") };
}

test("backends are listed by name, and shown with their endpoints", async () => {
  expect(await ask("backends", "list")).toEqual({ code: 0, text: "shop-api-80\nshop-web-80\n" });
  const { text } = await ask("backends", "get", "shop-web-80");
  const endpoints = [
    { address: "192.0.2.1", port: "8080" },
    { address: "2001:db8::1", port: "8080" },
  ];
  expect(JSON.parse(text)).toEqual({ name: "shop-web-80", endpoints });
  expect(JSON.parse((await ask("backends", "all")).text)).toHaveLength(2);
});

test("a certificate is shown without its key, also for a host below a wildcard", async () => {
  expect(await ask("certs", "get", "shop.example")).toEqual({ code: 0, text: "CHAIN\n" });
});

test("the commands conf and general print the configuration and the counts of what is served", async () => {
  const { code, text } = await ask("conf");
  expect(code).toBe(0);
  expect(text).toMatch(/^events \{\}\n+## start server shop\.example\n(#.*\n)+## end server shop\.example\n$/);
  expect(JSON.parse((await ask("general")).text)).toEqual({ hosts: 1, backends: 2, certificates: 1 });
});

test("the run folder may be given before or after the command", async () => {
  const answer = { code: 0, text: "shop-api-80\nshop-web-80\n" };
  for (const words of [
    ["--run-folder", root, "backends", "list"],
    ["backends", "list", `--run-folder=${root}`],
  ]) {
    const printed: string[] = [];
    const say = (text: string) => void printed.push(text);
    const code = await dbg(words, { write: say, fail: say }, { SLUICE_RUN_FOLDER: "/nowhere" });
    expect({ code, text: printed.join("") }).toEqual(answer);
  }
});

test("a name that does not exist and an unknown command are reported", async () => {
  expect(await ask("backends", "get", "none")).toEqual({ code: 1, text: "sluice dbg: there is no backend none" });
  expect(await ask("certs", "get", "other.org")).toMatchObject({ code: 1 });
  expect((await ask("ssh")).code).toBe(2);
});
