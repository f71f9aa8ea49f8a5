/**
 * Measures the amount of nginx's text for a path: a location has only lines that differ from its
 * server and http block. ingress-nginx writes 63 directives for `/` and 173 for `/foo`.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Directive, treeOf } from "../support/nginx-tree.ts";

const most = 12;
const serversIn = (file: string): readonly Directive[] => {
  const text = readFileSync(new URL(`cases/${file}`, import.meta.url), "utf8");
  const http = treeOf(text).find(({ name }) => name === "http");
  return (http?.block ?? []).filter(({ name }) => name === "server");
};
const locationsOf = ({ block = [] }: Directive) => block.filter(({ name }) => name === "location");
const called = (host: string) => (server: Directive) =>
  (server.block ?? []).some(({ name, args }) => name === "server_name" && args.includes(host));
const linesOf = ({ block = [] }: Directive): number => block.reduce((sum, one) => sum + 1 + linesOf(one), 0);

test("in static mode the location of a host with / and TLS has few lines", () => {
  const [location, ...others] = serversIn("first/static.nginx.conf")
    .filter(called("shop.example"))
    .flatMap(locationsOf);
  expect(others).toEqual([]);
  expect(linesOf(location!)).toBeLessThanOrEqual(most);
});

test("in static mode each path is one location of few lines, and /img/ has one more for its redirect", () => {
  const server = serversIn("paths/static.nginx.conf").find(called("shop.example"))!;
  expect(locationsOf(server).map(({ args }) => args.join(" "))).toEqual([
    ...["= /img", "= /", "~ ^/gone(?:/|\\z)", "~ ^/one(?:/|\\z)", "~ ^/img/", "~ ^/api(?:/|\\z)", "/"],
  ]);
  expect(Math.max(...locationsOf(server).map(linesOf))).toBeLessThanOrEqual(most);
});

test("in dynamic mode a shape has few lines, however many hosts and paths use it", () => {
  const shapes = serversIn("paths/nginx.conf")
    .flatMap(locationsOf)
    .filter(({ args }) => /^@[0-9a-f]{16}$/.test(args[0] ?? ""));
  expect(shapes.length).toBeGreaterThan(0);
  expect(Math.max(...shapes.map(linesOf))).toBeLessThanOrEqual(most);
});
