/**
 * Chooses the module files that nginx loads. Modules that only a setting or an annotation needs are
 * loaded only while one does, as with ingress-nginx: each costs every worker memory, ModSecurity
 * most of all. A reload may add and drop modules. Lua is loaded only if the text uses it,
 * because it makes a TLS context for each location.
 */

import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import type { HttpPart } from "../../tokens/place.ts";

/**
 * The requirements of a text beside its settings: those of its shapes, and whether it has
 * directives of the Lua module.
 */
export interface TextNeeds {
  readonly parts: ReadonlySet<HttpPart>;
  readonly lua: boolean;
  /** Sluice's own modules whose directives the text has. */
  readonly own: ReadonlySet<OwnModule>;
}

/** The modules of `nginx/modules/`, with what shows that a text has their directives. */
const ownModules = {
  upstream_ssl_san: /(?:^|[;{}])\s*upstream_ssl_verify_san\s/m,
  kept_request_body: /(?:^|[;{}])\s*keep_request_body\s/m,
} as const;

export type OwnModule = keyof typeof ownModules;

/** Conditions by a part of the file's name; a module that is not listed is always loaded. */
const wanted: Readonly<Record<string, (settings: Settings, needs: TextNeeds) => boolean>> = {
  brotli: ({ enableBrotli }) => enableBrotli,
  geoip2: ({ useGeoip2 }) => useGeoip2,
  http_lua: (_, { lua }) => lua,
  modsecurity: ({ enableModsecurity }, { parts }) => enableModsecurity || parts.has("modsecurity"),
  upstream_ssl_san: (_, { own }) => own.has("upstream_ssl_san"),
  kept_request_body: (_, { own }) => own.has("kept_request_body"),
  otel: ({ enableOpentelemetry }, { parts }) => enableOpentelemetry || parts.has("tracing"),
};

/** Whether this text has a directive of the Lua module. */
export function hasLua(text: string): boolean {
  return /(?:^|[;{}])\s*(?:lua_\w+|\w+_by_lua\w*)\s/m.test(text);
}

/** Returns Sluice's own modules that a text needs, for a permitted snippet or a feature. */
export function ownModulesOf(text: string): ReadonlySet<OwnModule> {
  const names = Object.keys(ownModules) as OwnModule[];
  return new Set(names.filter((name) => ownModules[name].test(text)));
}

/** Returns paths for `load_module`, in the order that nginx needs. */
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
