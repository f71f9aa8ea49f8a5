/**
 * Chooses the module files that nginx loads. Modules that only a setting or an annotation needs are
 * loaded only while one does, as with ingress-nginx: each costs every worker memory, ModSecurity
 * most of all. A reload may add and drop modules. Lua is loaded only where the text uses it,
 * because it makes a TLS context for each location.
 */

import type { Machine } from "../../directives/machine.ts";
import type { HttpPart } from "../../directives/place.ts";
import type { Settings } from "../../settings/registry.ts";

/**
 * The requirements of a text beside its settings: those of its shapes, and whether it has
 * directives of the Lua module.
 */
export interface TextNeeds {
  readonly parts: ReadonlySet<HttpPart>;
  readonly lua: boolean;
  /**
   * Whether the text needs Sluice's own module, which checks the names in backends' certificates.
   */
  readonly checksNames: boolean;
}

/** Conditions by a part of the file's name; a module that is not listed is always loaded. */
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

/**
 * Whether the text has the directive of `nginx/modules/`, from a permitted snippet or a feature.
 */
export function checksNames(text: string): boolean {
  return /(?:^|[;{}])\s*upstream_ssl_verify_san\s/m.test(text);
}

/** Paths for `load_module`, in the order that nginx needs. */
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
