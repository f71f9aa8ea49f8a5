import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPathVariable } from "../../kinds/request-variables.ts";
import { isKnownVariable } from "../../kinds/variables.ts";
import { Token } from "../../tokens/token.ts";
import { withoutUnreadVariables } from "./unread-variables.ts";

const gap = String(Token.gaps.ifRead);
const text = (rest: string, mark = gap) => `http {
    map "" $${mark}scheme_first { default $scheme; }
    map $scheme_first $${mark}second { default ""; https 1; }
    map $http_host $${mark}alone { default $http_host; "" $host; }
    map $http_host $own { default ""; }
    ${rest}
}
`;
const mapsOf = (conf: string) => [...conf.matchAll(/map \S+ \$(\w+) /g)].map(([, name]) => name);

test.each([
  ["", ["own"]],
  ["return 200 $alone;", ["alone", "own"]],
  [`return 200 "\${alone}s";`, ["alone", "own"]],
  ["return 200 $second;", ["scheme_first", "second", "own"]],
  ["return 200 $scheme_first;", ["scheme_first", "own"]],
  ["return 200 $alone_not;", ["own"]],
  ["content_by_lua_block { ngx.say(ngx.var.alone) }", ["alone", "own"]],
  ["include /etc/nginx/own.conf;", ["scheme_first", "second", "alone", "own"]],
  ["allow all; include /etc/nginx/own.conf;", ["scheme_first", "second", "alone", "own"]],
  ["access_by_lua_file /etc/nginx/own.lua;", ["scheme_first", "second", "alone", "own"]],
  ['access_by_lua_block { require("own").run() }', ["scheme_first", "second", "alone", "own"]],
  ['access_by_lua_block { local ok, own = pcall(require, "own") }', ["scheme_first", "second", "alone", "own"]],
  ['ssl_certificate_by_lua_block { require("sluice.certificate").run() }', ["own"]],
])("where the text has %j, these maps remain: %j", (rest, left) => {
  const conf = withoutUnreadVariables(text(rest)).text;
  expect(mapsOf(conf)).toEqual(left);
  expect(conf).not.toContain(gap);
});

test.each([
  ["proxy_pass http://a;", []],
  ["return 301 $route_slash;", ["route_slash"]],
  ['set $route_tls "1";', []],
  ['set $route_tls "1$route_slash";', ["route_slash"]],
  ["return 200 $verify;", ["route_certificate"]],
])("where the text has %j, these variables are declared: %j", (rest, left) => {
  const declared = ["route_slash", "route_tls", "route_certificate"].map((name) => `set $${gap}${name} "";\n`).join("");
  const { text: conf } = withoutUnreadVariables(
    `map $route_certificate $${gap}verify { default ""; }\n${rest}\nhere\n${declared}`,
  );
  const [, after = ""] = conf.split("here");
  expect([...after.matchAll(/set \$(\w+) "";/g)].map(([, name]) => name)).toEqual(left);
});

test("variables in the marked lines of a variable that is read count as read, wherever they are", () => {
  const line = (name: string, value: string) => `set $${gap}${name} "${value}";\n`;
  const lines = [line("one", "$two"), line("three", "$one"), line("two", ""), line("one", "$four"), line("four", "")];
  const { text: conf } = withoutUnreadVariables(`${lines.join("")}return 200 $one;\n`);
  expect([...conf.matchAll(/set \$(\w+)/g)].map(([, name]) => name)).toEqual(["one", "two", "one", "four"]);
});

test("isRead says whether anything reads a variable that is not marked", () => {
  const others = ["namespace", "service_name"];
  const readIn = (rest: string) => others.filter(withoutUnreadVariables(rest, others).isRead);
  expect(readIn('set $namespace "shop"; set $service_name "";')).toEqual([]);
  expect(readIn('set $namespace "shop"; log_format own "$namespace";')).toEqual(["namespace"]);
  expect(readIn("include /etc/nginx/own.conf;")).toEqual(others);
});

test("no map of a variable that users may name is removed, because a record may name it without a reload", () => {
  const folder = join(import.meta.dirname, "../../../../templates");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmpl"));
  const marked = files.flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(/ifRead\}\}(\w+)/g)]);
  const names = marked.map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => isPathVariable(name) || isKnownVariable(name, "http"))).toEqual([]);
});
