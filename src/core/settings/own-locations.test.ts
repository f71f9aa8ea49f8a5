import { expect, test } from "vitest";
import { withOwnLocations } from "./own-locations.ts";

test.each([
  ["add_header X y;\nlocation /a { return 200; }", "add_header X y;\nlocation /a { return 200; }"],
  [
    "location /a {\n  proxy_pass http://a/b;\n}",
    "location /a {\n  proxy_set_header Connection close; proxy_buffering on; proxy_pass http://a/b; proxy_redirect default;\n}",
  ],
  [
    "location /a { proxy_pass http://$a; proxy_set_header X y; }",
    "location /a { proxy_buffering on; proxy_pass http://$a; proxy_set_header X y; }",
  ],
  [
    "location /a { proxy_redirect off; if ($x) { proxy_pass http://a; } }",
    "location /a { proxy_set_header Connection close; proxy_buffering on; proxy_redirect off; if ($x) { proxy_pass http://a; } }",
  ],
  [
    "server { listen 1; location / { location /in { proxy_pass http://a; } } }",
    "server { listen 1; location / { proxy_set_header Connection close; proxy_buffering on; location /in { proxy_pass http://a; proxy_redirect default; } } }",
  ],
  [
    "location /a { proxy_set_header X y; proxy_buffering off; proxy_pass http://$a; }",
    "location /a { proxy_set_header X y; proxy_buffering off; proxy_pass http://$a; }",
  ],
  [
    "proxy_buffering off; location /a { proxy_set_header X y; proxy_pass http://$a; }",
    "proxy_buffering off; location /a { proxy_set_header X y; proxy_pass http://$a; }",
  ],
  [
    'location /a { set $proxy_upstream_name "ns-a-80"; proxy_pass http://upstream_balancer; }',
    'location /a { proxy_set_header Connection close; proxy_buffering on; set $proxy_upstream_name "ns-a-80"; proxy_pass http://upstream_balancer; proxy_redirect default; set_by_lua_block $s_to { return package.loaded["sluice.route"].named() } }',
  ],
  [
    "location /a { proxy_set_header X y; proxy_buffering on; proxy_redirect off; proxy_pass http://upstream_balancer; if ($b) { set $proxy_upstream_name ns-a-80; } }",
    'location /a { proxy_set_header X y; proxy_buffering on; proxy_redirect off; proxy_pass http://upstream_balancer; if ($b) { set $proxy_upstream_name ns-a-80; } set_by_lua_block $s_to { return package.loaded["sluice.route"].named() } }',
  ],
  ["location {", "location {"],
])("the snippet %j gets the defaults that its locations lack", (text, written) => {
  expect(withOwnLocations(text)).toBe(written);
});
