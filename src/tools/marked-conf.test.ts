import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { markedConf } from "./marked-conf.ts";

/** Finds a host as the kubectl plugin of ingress-nginx does. */
function blockOf(conf: string, host: string): string | undefined {
  const start = `## start server ${host}\n`;
  const at = conf.indexOf(start);
  return at < 0 ? undefined : conf.slice(at + start.length, conf.indexOf(`## end server ${host}`)).trim();
}

const golden = (name: string) =>
  readFileSync(new URL(`../../test/golden/cases/first/${name}`, import.meta.url), "utf8");

test("a host that needs text is found as its server block", () => {
  const conf = golden("static.nginx.conf");
  const marked = markedConf(conf, new Map());
  const block = blockOf(marked, "shop.example");
  expect(block).toMatch(/^server \{\n.*\n +server_name "shop\.example";\n.*\n {4}\}$/s);
  expect(block).not.toContain("server_name _");
  expect(blockOf(marked, "_")).toContain("default_server");
  expect(marked.replace(/^ *## (start|end) server .*\n/gm, "")).toBe(conf);
});

test("a host that is data is found as its record, whose text stays a comment", () => {
  const record = JSON.stringify({ locations: [{ shape: "@a", path: "/\n}" }] });
  const records = new Map([
    ["host shop.example", record],
    ["host _", "{}"],
    ["pair a", "0a1b 0\nKEY"],
  ]);
  const marked = markedConf(golden("nginx.conf"), records);
  const [, ...lines] = blockOf(marked, "shop.example")!.split("\n");
  expect(JSON.parse(lines.map((line) => line.replace(/^# {3}/, "")).join("\n"))).toEqual(JSON.parse(record));
  expect(marked.match(/## start server _/g)).toHaveLength(1);
  expect(marked).not.toContain("KEY");
  expect(blockOf(marked, "other.example")).toBeUndefined();
});
