import { expect, test } from "vitest";
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
