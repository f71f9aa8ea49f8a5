import { expect, test } from "vitest";
import { snippetWork } from "./snippets.ts";

const work = (lua: string) => snippetWork(`rewrite_by_lua_block {\n${lua}\n}`);

test("Lua tables of ingress-nginx are reported, and a snippet's own of the same name are not", () => {
  expect(work("lua_ingress.rewrite({ force_ssl_redirect = true })\nbalancer.rewrite()")).toEqual([
    "the image has no Lua table lua_ingress, which is ingress-nginx's own: do without",
    "the image has no Lua table balancer, which is ingress-nginx's own: do without",
  ]);
  expect(work('local balancer = require("ngx.balancer")\nbalancer.set_more_tries(1)')).toEqual([]);
  expect(work('ngx.log(ngx.ERR, self.monitor.call(), "configuration")')).toEqual([]);
});

test("libraries that the image lacks are reported, also if pcall requires them", () => {
  const lacking = (name: string) =>
    `the image has no Lua library ${name}: mount it below /etc/nginx/lua, or do without`;
  expect(work('local a = require "resty.http"\nlocal ok, b = pcall(require, "my.own")')).toEqual([
    lacking("resty.http"),
    lacking("my.own"),
  ]);
  expect(work('local ok, shell = pcall(require, "cjson.safe")')).toEqual([]);
});
