import { expect, test } from "vitest";
import { parse } from "../kinds/grammar.ts";
import { setByPaths, withoutSetByPaths } from "./set-by-paths.ts";

test("what each path sets anew moves into the locations of the snippet, and line numbers stay", () => {
  const text = `proxy_buffers 8
  16k;
map $a $b { default 1; } grpc_read_timeout 9s; # why
location /a { proxy_buffers 4 4k; return 200; }
server { listen 1; location / { proxy_pass http://a; } }
location /b { }`;
  expect(withoutSetByPaths(text)).toBe(`

map $a $b { default 1; }  # why
location /a { grpc_read_timeout 9s; proxy_buffers 4 4k; return 200; }
server { proxy_buffers 8 16k; grpc_read_timeout 9s; listen 1; location / { proxy_pass http://a; } }
location /b { }`);
  expect(setByPaths(text, "key")).toEqual([
    "line 1: proxy_buffers counts for no path, because each has its own value; use the key proxy-buffers-number",
    "line 3: grpc_read_timeout counts for no path, because each has its own value; use the key proxy-read-timeout",
  ]);
});

test.each(["proxy_buffering on", "location / { proxy_buffering on; }"])("the snippet %j stays as it is", (text) => {
  expect(withoutSetByPaths(text)).toBe(text);
  expect(setByPaths(text, "annotation")).toEqual([]);
});

test("a comment in a moved line swallows no brace, so the snippet cannot end the block around it", () => {
  const text = `proxy_read_timeout # one
 5s;
proxy_cookie_path "/a  #b" '/"\\c {';
location /a { if ($x) {
  return 200; } }`;
  const moved = withoutSetByPaths(text);
  expect(moved).toBe(`


location /a { proxy_read_timeout 5s; proxy_cookie_path "/a  #b" "/\\"\\\\c {"; if ($x) {
  return 200; } }`);
  const words = (one: string) => {
    const parsed = parse(one);
    return parsed.ok ? parsed.statements : [];
  };
  expect(
    words(moved)[0]!
      .block!.slice(0, 2)
      .map(({ args }) => args),
  ).toEqual([["5s"], ["/a  #b", '/"\\c {']]);
});

test("thousands of lines and locations are left as they are", () => {
  const text = `${"proxy_redirect a b;\n".repeat(5_000)}${"location /a {a;}\n".repeat(5_000)}`;
  expect(withoutSetByPaths(text)).toBe(text);
});
