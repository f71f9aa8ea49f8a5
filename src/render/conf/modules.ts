/**
 * Which module files nginx loads. Those that only a setting or an annotation asks for are loaded
 * only while one does, as with ingress-nginx: each costs every worker memory, ModSecurity most of
 * all. A reload may add and drop modules. Lua, which makes a TLS context for each location of the
 * text, is loaded where the text uses it.
 */

import type { Machine } from "../../directives/machine.ts";
import type { HttpPart } from "../../directives/place.ts";
import type { Settings } from "../../settings/registry.ts";

/**
 * The needs of a text beside its settings: those of its shapes, and whether it has directives of
 * the Lua module.
 */
export interface TextNeeds {
  readonly parts: ReadonlySet<HttpPart>;
  readonly lua: boolean;
  /** Whether it has the names of backends' certificates checked by our own module. */
  readonly checksNames: boolean;
}

/** Conditions by a part of the file's name; a module that is not here is always loaded. */
const wanted: Readonly<Record<string, (settings: Settings, needs: TextNeeds) => boolean>> = {
  brotli: ({ enableBrotli }) => enableBrotli,
  geoip2: ({ useGeoip2 }) => useGeoip2,
  http_lua: (_, { lua }) => lua,
  modsecurity: ({ enableModsecurity }, { parts }) => enableModsecurity || parts.has("modsecurity"),
  upstream_ssl_san: (_, { checksNames }) => checksNames,
  otel: ({ enableOpentelemetry }, { parts }) => enableOpentelemetry || parts.has("tracing"),
};

/** Whether this text has a directive of the Lua module. */
export function speaksLua(text: string): boolean {
  return /(?:^|[;{}])\s*(?:lua_\w+|\w+_by_lua\w*)\s/m.test(text);
}

/** The directive of `nginx/modules/`: of a permitted snippet, or of a feature. */
export function checksNames(text: string): boolean {
  return /(?:^|[;{}])\s*upstream_ssl_verify_san\s/m.test(text);
}

/** Paths for `load_module`, in the order in which nginx wants them. */
export function loadedModules(
  { modules }: Pick<Machine, "modules">,
  settings: Settings,
  needs: TextNeeds,
): readonly string[] {
  return modules.filter((path) => {
    const file = path.slice(path.lastIndexOf("/") + 1);
    const name = Object.keys(wanted).find((one) => file.includes(one));
    return name === undefined || wanted[name]!(settings, needs);
  });
}
