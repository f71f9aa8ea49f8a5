import { expect, test } from "vitest";
import { sentence } from "../../core/model/problem.ts";
import { defaultSettings } from "../../core/settings/registry.ts";
import type { Context } from "../../core/tokens/nginx-directives.ts";
import { authLocations } from "./findings/auth-locations.ts";
import { type Snippet, snippetProblems } from "./snippet-findings.ts";

const object = { kind: "Ingress", namespace: "shop", name: "web" };
const annotation = (text: string, context: Context = "location"): Snippet => ({
  object,
  field: "annotation configuration-snippet",
  text,
  context,
});
const sentences = (...snippets: Snippet[]) => snippetProblems(snippets, defaultSettings).map(sentence);

test("a directive that nginx does not have is reported with its line and the nearest directive", () => {
  expect(
    sentences(annotation("add_header X-One 1;\nproxy_set_haeder X-Two 2;\nif ($host = a) { retrun 404; }")),
  ).toEqual([
    "annotation configuration-snippet: line 2: nginx 1.30 has no directive proxy_set_haeder (did you mean proxy_set_header?); nginx would refuse it",
    "annotation configuration-snippet: line 3: nginx 1.30 has no directive retrun (did you mean return?); nginx would refuse it",
  ]);
  expect(sentences(annotation("ssl on;"))).toEqual([
    expect.stringContaining("nginx 1.30 has the directive ssl no more; nginx 1.22 had it"),
  ]);
});

test("an argument that only OpenResty's nginx knows is reported", () => {
  expect(sentences(annotation("resolver 10.0.0.10 valid=5s;\nresolver local=on ipv6=off;", "server"))).toEqual([
    "annotation configuration-snippet: line 2: only OpenResty's nginx has resolver local=on; without the line, the name servers of the Pod are asked; nginx would refuse it",
  ]);
});

test("a location whose answer is misspelt gets no finding that it has none", () => {
  const location = annotation('location /h { retrun 200 "ok"; }', "server");
  expect(sentences(location)).toEqual([expect.stringContaining("no directive retrun (did you mean return?)")]);
});

test("a variable that nothing declares is reported, and one that another snippet declares is not", () => {
  const reads = annotation("add_header X-Tenant $tenant;\nadd_header X-User $remote_usr;");
  expect(sentences(reads)).toEqual([
    expect.stringContaining("line 1: nothing declares the variable $tenant"),
    expect.stringContaining("line 2: nothing declares the variable $remote_usr (did you mean remote_user?)"),
  ]);
  const map: Snippet = {
    object: { kind: "ConfigMap", namespace: "ops", name: "sluice" },
    field: "data.http-snippet",
    text: 'map $host $tenant { default none; "~^(?<remote_usr>[^.]+)" $remote_usr; }',
    context: "http",
  };
  expect(sentences(reads, map)).toEqual([]);
});

test("the variables of an auth request are known to the snippets of its Ingress alone", () => {
  const reads = annotation('more_set_headers "X: $auth_cookie $authHeader0";');
  const words = sentences(reads).map((one) => one.replace(/^.*(\$\w+).*$/, "$1"));
  expect(words).toEqual(["$auth_cookie", "$authHeader0"]);
  expect(sentences({ ...reads, brings: ["auth_cookie", "authHeader0"] })).toEqual([]);
});

test("a variable of a GeoIP database needs use-geoip2, unless a snippet declares it", () => {
  const reads = annotation("return 200;\nif ($geoip2_country_code = DE) { return 403; }");
  expect(sentences(reads)).toEqual([
    "annotation configuration-snippet: line 2: $geoip2_country_code exists only with use-geoip2, which is off; nginx would refuse it",
  ]);
  expect(snippetProblems([reads], { useGeoip2: true })).toEqual([]);
  const database = "geoip2 /db.mmdb { $geoip2_country_code country iso_code; }";
  expect(sentences(reads, { ...annotation(database, "http"), field: "data.http-snippet" })).toEqual([]);
});

test("a zone or a log format that nothing declares is reported with the nearest one", () => {
  const http: Snippet = {
    object: { kind: "ConfigMap", namespace: "ops", name: "sluice" },
    field: "data.http-snippet",
    text: [
      "limit_req_zone $host zone=per_host:1m rate=1r/s;",
      "limit_conn_zone $host zone=hosts:1m;",
      "proxy_cache_path /tmp/c levels=1:2 keys_zone=pictures:8m;",
      "log_format short $status;",
    ].join("\n"),
    context: "http",
  };
  const declares = ["limit_req zone=per_host burst=5;", "limit_conn hosts 5;", "proxy_cache pictures;"];
  const logs = ["access_log /dev/stdout short;", "access_log /dev/stdout upstreaminfo if=$host;", "access_log off;"];
  expect(sentences(http, annotation([...declares, ...logs, "proxy_cache off; proxy_cache $host;"].join("\n")))).toEqual(
    [],
  );
  const text = "limit_req zone=per_hsot;\nlimit_conn per_host 1;\nfastcgi_cache other;\naccess_log /dev/stdout shrt;";
  expect(sentences(http, annotation(text)).map((one) => one.replace(/^.*line \d+: |; nginx would.*$/g, ""))).toEqual([
    'no limit_req_zone declares the zone of limit_req "per_hsot" (did you mean per_host?)',
    'no limit_conn_zone declares the zone of limit_conn "per_host"',
    'no proxy_cache_path declares the zone of a cache "other"',
    'no log_format declares the log format "shrt" (did you mean short?)',
  ]);
});

test("a file that a snippet includes may declare variables and zones", () => {
  const http: Snippet = { object, field: "data.http-snippet", text: "include /etc/own/*.conf;", context: "http" };
  expect(sentences(http, annotation("proxy_cache own; add_header X-One $own; nonsense;"))).toEqual([
    expect.stringContaining("no directive nonsense"),
  ]);
});

test.each([
  "more_set_headers 'X: $http_x_y$arg_z$cookie_k$upstream_http_etag';",
  "rewrite_by_lua_block { local a = ngx.var.anything; nonsense = '$x' }",
  "auth_request_set $token $upstream_http_token; proxy_set_header X-Token $token;",
  "location ~ ^/(?<rest>.*)$ { return 301 /new/$rest$is_args$args; }",
  "types { text/x-own own; }",
  'if ( $request_uri ~* "^/a" ) { expires 30d; add_header Cache-Control public; }',
  "if ($host) { return 403; }",
  "limit_except GET { deny all; }",
])("text that nginx accepts is not reported: %s", (text) => {
  expect(sentences(annotation(text, text.startsWith("location") ? "server" : "location"))).toEqual([]);
});

test.each<[Context, string, string]>([
  ["server", "limit_req_zone $host zone=a:1m rate=1r/s;", "limit_req_zone belongs in http, not in server"],
  ["server", "map $host $tenant { default none; }", "map belongs in http or stream, not in server"],
  [
    "location",
    "if ($host) { proxy_set_header X-One 1; }",
    "proxy_set_header belongs in http, server, or location, not in an if of a location",
  ],
  ["location", 'if ($http_score < "0.7") { return 403; }', '"<" is not an operator of if'],
  [
    "stream",
    "server { listen 9000; root /x; }",
    "root belongs in http, server, location, or an if of a location, not in stream server",
  ],
  [
    "http",
    "upstream own { server 127.0.0.1:80; proxy_pass own; }",
    "proxy_pass belongs in location, an if of a location, limit_except, or stream server, not in upstream",
  ],
])("a directive in the wrong block is reported with the right ones: %s: %s", (context, text, expected) => {
  expect(sentences(annotation(text, context))).toEqual([expect.stringContaining(expected)]);
});

test("directives of modules that the operator loads are not reported", () => {
  const main: Snippet = { object, field: "data.main-snippet", text: "load_module modules/own.so;", context: "main" };
  expect(sentences(main, annotation("own_directive $own;"))).toEqual([]);
});

test("a location in an auth-snippet is reported, because the auth request's own location is exact", () => {
  const text = "proxy_set_header X-One 1;\nif ($a) { location /open { auth_request off; } }";
  const field = "annotation auth-snippet";
  expect(authLocations([{ ...annotation(text), field }]).map(sentence)).toEqual([
    `${field}: line 2: a location cannot stand in the location of the auth request; nginx would refuse it`,
  ]);
  expect(authLocations([annotation(text)])).toEqual([]);
});

test("try_files where the Service answers is doubtful, and one with a root of its own is not", () => {
  const found = (text: string) => sentences(annotation(text));
  expect(found("try_files $uri $uri/ /index.html;")).toEqual([
    "annotation configuration-snippet: line 1: try_files looks for files of nginx and none of the Service, so nearly every request goes on as /index.html; let the Service find its files",
  ]);
  expect(found("try_files $uri =404;")).toEqual([expect.stringContaining("nearly every request gets 404;")]);
  expect(found("root /srv;\ntry_files $uri /index.html;")).toEqual([]);
});

test("a location of a server-snippet that names no backend is doubtful, and one that answers by itself is not", () => {
  const of = (text: string) => sentences({ ...annotation(text, "server"), field: "annotation server-snippet" });
  expect(of("location ~* \\.(js|css)$ { expires 1y; add_header X-One 1; }")).toEqual([
    "annotation server-snippet: line 1: location ~* \\.(js|css)$ names no backend, so nginx looks for a file of its own and answers 404; it needs a proxy_pass",
  ]);
  expect(of("location /health { access_log off; return 200; }")).toEqual([]);
  expect(of("location /files { root /srv; expires 1y; }")).toEqual([]);
  expect(of("location @later { expires 1y; }")).toEqual([]);
});
