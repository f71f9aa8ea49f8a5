import { expect, test } from "vitest";
import { variablesDeclaredIn } from "./declared-variables.ts";

test.each([
  ["set $tenant acme;", ["tenant"]],
  ["auth_request_set $auth_resp_jwt $upstream_http_x_vouch_jwt;", ["auth_resp_jwt"]],
  ["if ($http_x = y) { set $inside 1; }", ["inside"]],
  ['map $host $site { default a; "~^(?<label>[^.]+)" b; }', ["site", "label"]],
  ["geo $office { default 0; }", ["office"]],
  ["geo $realip_remote_addr $near { default 0; }", ["near"]],
  ["split_clients $remote_addr $half { 50% a; * b; }", ["half"]],
  ["perl_set $one 'sub { }'; js_set $two main.f; js_var $three;", ["one", "two", "three"]],
  ['set_by_lua_block $four { local x = "set $none 1;" return x }', ["four"]],
  ["set_escape_uri $five $uri;", ["five"]],
  ["rewrite ^/(?P<six>.*)$ /x last;", ["six"]],
  ["geoip2 /a.mmdb { $country country iso_code; }", ["country"]],
  ["proxy_set_header X-A $http_x_a; # set $comment 1;", []],
  ["set $a 1", []],
  ["set_real_ip_from 192.0.2.0/24;", []],
])("the text %s declares the variables %j", (text, names) => {
  expect(variablesDeclaredIn(text)).toEqual(names);
});
