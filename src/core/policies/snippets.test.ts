import { expect, test } from "vitest";
import { valuesOf } from "../../../test/support/reading.ts";

const settings = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
const snippetOf = (text: string) => valuesOf({ "configuration-snippet": text }, { settings }).configurationSnippet;

test.each(["location /a { return 403; }", "if ($x) { alias /tmp/; }", "internal;"])(
  "the snippet %j needs a location with a path",
  (text) => {
    expect(snippetOf(text).needsPath).toBe(true);
  },
);

test.each(["return 403;", "# location /a {}\nset $location a;", 'more_set_headers "X-A: location /a {";'])(
  "the snippet %j needs no location with a path",
  (text) => {
    expect(snippetOf(text)).toMatchObject({ needsPath: false, namesUpstream: false });
  },
);

test("a snippet names a Service by setting the variable at any depth, and not by reading it", () => {
  expect(snippetOf('if ($http_x) { set $proxy_upstream_name "ns-a-80"; }').namesUpstream).toBe(true);
  expect(snippetOf("set $mine $proxy_upstream_name;").namesUpstream).toBe(false);
});

test.each<readonly [string, boolean]>([
  ['more_set_headers "X-A: $1";', true],
  ["if ($host = a.example) { return 301 https://b.example/${2}x; }", true],
  ["rewrite ^/a/(.*)$ /$1 break;", false],
  ["if ($uri ~ ^/(a+)) { set $part $1; }", false],
  ['more_set_headers "X-A: $arg_1";', false],
])("the snippet %j uses groups of the path: %s", (text, names) => {
  expect(snippetOf(text).namesGroups).toBe(names);
});
