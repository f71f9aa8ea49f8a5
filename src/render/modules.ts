/**
 * Which module files nginx loads. Those that only a setting or an annotation asks for are loaded only while one does, as with
 * ingress-nginx: each costs every worker memory, ModSecurity most of all. A reload may add and drop modules.
 */
import type { Settings } from "../settings/registry.ts";
import type { Machine } from "./machine.ts";
import type { HttpPart } from "./place.ts";

/** By a part of the file's name; a module that is not here is always loaded. */
const wanted: Readonly<Record<string, (settings: Settings, needs: ReadonlySet<HttpPart>) => boolean>> = {
  brotli: ({ enableBrotli }) => enableBrotli,
  geoip2: ({ useGeoip2 }) => useGeoip2,
  modsecurity: ({ enableModsecurity }, needs) => enableModsecurity || needs.has("modsecurity"),
  otel: ({ enableOpentelemetry }, needs) => enableOpentelemetry || needs.has("tracing"),
};

/** Paths for `load_module`, in the order in which nginx wants them. `needs` is what shapes ask for. */
export function loadedModules(
  { modules }: Pick<Machine, "modules">,
  settings: Settings,
  needs: ReadonlySet<HttpPart>,
): readonly string[] {
  return modules.filter((path) => {
    const file = path.slice(path.lastIndexOf("/") + 1);
    const name = Object.keys(wanted).find((one) => file.includes(one));
    return name === undefined || wanted[name]!(settings, needs);
  });
}
