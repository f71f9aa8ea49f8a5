import { expect, test } from "vitest";
import type { Path } from "./path-routes.ts";
import { routesOf } from "./routes.ts";

const prefix = (path: string, more: Partial<Path> = {}): Path => ({
  path,
  type: "prefix",
  regex: false,
  rewriteTarget: "",
  denied: false,
  ...more,
});
const exact = (path: string, more: Partial<Path> = {}): Path => ({ ...prefix(path, more), type: "exact" });
const shown = (paths: Path[]) =>
  routesOf(paths).routes.map((route) => {
    const to = route.match === "slash" ? "" : ` -> ${route.location}`;
    return `${route.match} ${route.path}${to}${"rewrite" in route ? ` as ${route.rewrite}` : ""}`;
  });

test.each([
  ["Prefix is element-wise", [prefix("/"), prefix("/foo")], ["exact /foo -> 1", "prefix /foo/ -> 1", "prefix / -> 0"]],
  ["Prefix with a slash redirects to it", [prefix("/foo/")], ["prefix /foo/ -> 0", "slash /foo"]],
  ["Exact with a slash redirects to it", [exact("/foo/")], ["exact /foo/ -> 0", "slash /foo"]],
  ["nothing is redirected to //, which nginx reads as /", [prefix("//")], ["prefix // -> 0"]],
  ["nothing redirects to what is denied", [exact("/foo/", { denied: true })], ["exact /foo/ -> 0"]],
  [
    "Exact takes the path itself, Prefix what is below",
    [prefix("/foo"), exact("/foo")],
    ["exact /foo -> 1", "prefix /foo/ -> 0"],
  ],
  [
    "Prefix /foo beside Prefix /foo/ takes only the path itself",
    [prefix("/foo"), prefix("/foo/")],
    ["exact /foo -> 0", "prefix /foo/ -> 1"],
  ],
  [
    "no redirect where the bare path is defined",
    [exact("/foo/"), prefix("/foo")],
    ["exact /foo/ -> 0", "exact /foo -> 1", "prefix /foo/ -> 1"],
  ],
])("%s", (_what, paths, routes) => {
  expect(shown(paths)).toEqual(routes);
});

test.each([
  [
    "longest first, equal lengths in descending order",
    [prefix("/a", { regex: true }), prefix("/b", { regex: true }), prefix("/long", { regex: true })],
    ["regex /long -> 2", "regex /b -> 1", "regex /a -> 0"],
  ],
  [
    "a plain Prefix on a regex host gives two patterns",
    [prefix("/x", { regex: true }), prefix("/foo")],
    ["regex /foo/ -> 1", "regex /foo -> 1", "regex /x -> 0"],
  ],
  [
    "a rewrite is a regex, with the target",
    [prefix("/s(/|$)(.*)", { rewriteTarget: "/$2" })],
    ["regex /s(/|$)(.*) -> 0 as /$2"],
  ],
  ["a target equal to the path does nothing for /", [prefix("/", { rewriteTarget: "/" })], ["prefix / -> 0"]],
  [
    "a target equal to the path rewrites what is below it",
    [prefix("/keep", { rewriteTarget: "/keep" })],
    ["regex /keep/ -> 0 as /keep", "regex /keep -> 0"],
  ],
  [
    "of Exact and Prefix with one text the first takes everything",
    [exact("/x", { regex: true }), prefix("/x", { regex: true })],
    ["regex /x -> 0"],
  ],
  [
    "a plain Exact on a regex host takes the pattern, a plain Prefix what is below",
    [prefix("/r", { regex: true }), exact("/foo"), prefix("/foo")],
    ["regex /foo -> 1", "regex /foo/ -> 2", "regex /r -> 0"],
  ],
  [
    "a plain Exact after a plain Prefix of the same text has what the Prefix has not",
    [prefix("/r", { regex: true }), prefix("/foo"), exact("/foo")],
    ["regex /foo/ -> 1", "regex /foo -> 2", "regex /r -> 0"],
  ],
])("regex mode: %s", (_what, paths, routes) => {
  expect(shown(paths)).toEqual(routes);
});
