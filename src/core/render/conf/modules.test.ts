import { expect, test } from "vitest";
import { settingsOf } from "../../../../test/support/reading.ts";
import { hasLua, loadedModules, ownModulesOf } from "./modules.ts";

const lua = "/modules/ngx_http_lua_module.so";
const [brotli, geoip2, modsecurity, otel] = ["http_brotli_filter", "http_geoip2", "http_modsecurity", "otel"].map(
  (name) => `/geoip2/brotli/ngx_${name}_module.so`,
);
const none = new Set<never>();
const machine = { modules: [lua, brotli!, geoip2!, modsecurity!, otel!] };

test("a module is loaded only if it is used or Sluice itself needs it", () => {
  expect(loadedModules(machine, settingsOf(), { parts: new Set(), lua: true, own: none })).toEqual([lua]);
});

test("the Lua module is loaded where the text uses it", () => {
  expect(loadedModules(machine, settingsOf(), { parts: new Set(), lua: false, own: none })).toEqual([]);
  expect(hasLua("server {\n    access_by_lua_block {\n    }\n}\n")).toBe(true);
  expect(hasLua("http {\n    lua_shared_dict own 1m;\n}\n")).toBe(true);
  expect(hasLua("    add_header X 1; access_by_lua_block { }\n")).toBe(true);
  expect(hasLua('server {\n    server_name "lua_shared_dict.example";\n    # no lua_code_cache here\n}\n')).toBe(false);
});

test("a module of Sluice is loaded where the text has its directive", () => {
  const [san, kept] = ["upstream_ssl_san", "kept_request_body"].map((name) => `/modules/ngx_http_${name}_module.so`);
  const asked = (text: string) =>
    loadedModules({ modules: [san!, kept!] }, settingsOf(), { parts: new Set(), lua: false, own: ownModulesOf(text) });
  expect(asked("location / {\n    proxy_ssl_verify on; upstream_ssl_verify_san dns:a.example;\n}\n")).toEqual([san]);
  expect(asked("location / {\n    keep_request_body 1m;\n}\n")).toEqual([kept]);
  expect(asked('    set $a "upstream_ssl_verify_san dns:a.example"; set $b "keep_request_body 1m";\n')).toEqual([]);
});

test.each([
  [{ "enable-brotli": "true" }, brotli],
  [{ "use-geoip2": "true" }, geoip2],
  [{ "enable-modsecurity": "true" }, modsecurity],
  [{ "enable-opentelemetry": "true" }, otel],
])("the setting %j loads its module", (texts, module) => {
  expect(loadedModules(machine, settingsOf(texts), { parts: new Set(), lua: true, own: none })).toEqual([lua, module]);
});

test("an annotation loads its module", () => {
  expect(
    loadedModules(machine, settingsOf(), { parts: new Set(["modsecurity", "tracing"]), lua: true, own: none }),
  ).toEqual([lua, modsecurity, otel]);
});
