import { expect, test } from "vitest";
import { settingsOf } from "../../../test/support/reading.ts";
import { loadedModules, speaksLua } from "./modules.ts";

const lua = "/modules/ngx_http_lua_module.so";
const [brotli, geoip2, modsecurity, otel] = ["http_brotli_filter", "http_geoip2", "http_modsecurity", "otel"].map(
  (name) => `/geoip2/brotli/ngx_${name}_module.so`,
);
const machine = { modules: [lua, brotli!, geoip2!, modsecurity!, otel!] };

test("a module that nobody uses is not loaded, one that Sluice itself needs always", () => {
  expect(loadedModules(machine, settingsOf(), { parts: new Set(), lua: true })).toEqual([lua]);
});

test("Lua is loaded where the text speaks it", () => {
  expect(loadedModules(machine, settingsOf(), { parts: new Set(), lua: false })).toEqual([]);
  expect(speaksLua("server {\n    access_by_lua_block {\n    }\n}\n")).toBe(true);
  expect(speaksLua("http {\n    lua_shared_dict own 1m;\n}\n")).toBe(true);
  expect(speaksLua('server {\n    server_name "lua_shared_dict.example";\n    # no lua_code_cache here\n}\n')).toBe(
    false,
  );
});

test.each([
  [{ "enable-brotli": "true" }, brotli],
  [{ "use-geoip2": "true" }, geoip2],
  [{ "enable-modsecurity": "true" }, modsecurity],
  [{ "enable-opentelemetry": "true" }, otel],
])("%j loads its module", (texts, module) => {
  expect(loadedModules(machine, settingsOf(texts), { parts: new Set(), lua: true })).toEqual([lua, module]);
});

test("so does an annotation", () => {
  expect(loadedModules(machine, settingsOf(), { parts: new Set(["modsecurity", "tracing"]), lua: true })).toEqual([
    lua,
    modsecurity,
    otel,
  ]);
});
