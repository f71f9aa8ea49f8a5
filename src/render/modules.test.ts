import { expect, test } from "vitest";
import { settingsOf } from "../../test/support/reading.ts";
import { loadedModules } from "./modules.ts";

const lua = "/modules/ngx_http_lua_module.so";
const [brotli, geoip2, modsecurity, otel] = ["http_brotli_filter", "http_geoip2", "http_modsecurity", "otel"].map(
  (name) => `/geoip2/brotli/ngx_${name}_module.so`,
);
const machine = { modules: [lua, brotli!, geoip2!, modsecurity!, otel!] };

test("a module that nobody uses is not loaded, one that Sluice itself needs always", () => {
  expect(loadedModules(machine, settingsOf(), new Set())).toEqual([lua]);
});

test.each([
  [{ "enable-brotli": "true" }, brotli],
  [{ "use-geoip2": "true" }, geoip2],
  [{ "enable-modsecurity": "true" }, modsecurity],
  [{ "enable-opentelemetry": "true" }, otel],
])("%j loads its module", (texts, module) => {
  expect(loadedModules(machine, settingsOf(texts), new Set())).toEqual([lua, module]);
});

test("so does an annotation", () => {
  expect(loadedModules(machine, settingsOf(), new Set(["modsecurity", "tracing"]))).toEqual([lua, modsecurity, otel]);
});
