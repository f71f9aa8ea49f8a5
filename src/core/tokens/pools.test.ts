import { expect, test } from "vitest";
import { poolOf, type Scheme } from "./pools.ts";
import { Token } from "./token.ts";

const schemes: readonly Scheme[] = ["HTTP", "HTTPS", "AUTO_HTTP", "GRPC", "GRPCS", "FCGI"];

test("no two protocols share an upstream block", () => {
  const blocks = schemes.flatMap((scheme) => ["", "a", "b"].flatMap((apart) => poolOf(scheme, ["base"], apart).blocks));
  expect(new Set(blocks).size).toBe(blocks.length);
});

test("AUTO_HTTP has a block for each scheme of a client", () => {
  const { pass, blocks } = poolOf("AUTO_HTTP", ["base"], "");
  expect(String(pass)).toBe("proxy_pass $scheme://base_auto_http_$scheme");
  expect(blocks).toEqual(["base_auto_http_http", "base_auto_http_https"]);
});

test("a variable may choose one of several blocks", () => {
  const { pass, blocks } = poolOf("HTTPS", ["main", "canary"], "id", Token.bracedVariable("chosen"));
  expect(String(pass)).toBe("proxy_pass https://${chosen}_https_id");
  expect(blocks).toEqual(["main_https_id", "canary_https_id"]);
});
