import { expect, test } from "vitest";
import { mayAnswer } from "./answering.ts";

test.each([
  "more_set_headers 'X-Frame-Options: DENY';",
  "add_header X-A b always; proxy_set_header X-B $remote_addr; proxy_hide_header X-C;",
  "set $cors ''; if ($http_origin ~ shop) { set $cors true; more_set_headers 'Vary: Origin'; }",
  "rewrite ^/old/(.*)$ /new/$1 break; expires 1h; gzip off; proxy_read_timeout 5s; sub_filter a b;",
  "map $http_upgrade $connection_upgrade { default upgrade; '' close; } limit_req_zone $host zone=a:1m rate=1r/s;",
  "log_by_lua_block { ngx.log(ngx.ERR, 'x') }",
  "server { listen 8888; return 403; }",
])("%s never answers", (text) => expect(mayAnswer(text)).toBe(false));

test.each([
  "return 403;",
  "if ($http_user_agent ~ bot) { return 403; }",
  "rewrite ^/old$ /new permanent;",
  "rewrite ^(.*)$ https://new.example$1;",
  "rewrite ^(.*)$ $scheme://new.example$1;",
  "deny all;",
  "error_page 403 /denied;",
  "limit_req zone=a;",
  "auth_basic off;",
  "proxy_pass http://other;",
  "location ~ robots { expires 1h; }",
  "access_by_lua_block { ngx.exit(403) }",
  "proxy_cache pages;",
  "set $proxy_upstream_name ns-other-80;",
  "of_a_module_of_their_own on;",
  "not closed",
])("%s may answer", (text) => expect(mayAnswer(text)).toBe(true));
