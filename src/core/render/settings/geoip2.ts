/**
 * Variables about the client's place and network, from MaxMind databases, with the names of
 * ingress-nginx.
 */
import { basename } from "node:path";
import { geoip2Editions } from "../../kinds/vocabulary/geoip2-variables.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token, type View } from "../../tokens/token.ts";

/**
 * Returns the view of `templates/settings/geoip2.tmpl`. A variable that two databases have comes
 * from the first.
 */
export function geoip2View(settings: Settings, can: Capabilities, { files }: Machine): View {
  if (!settings.useGeoip2 || !can.geoip2) return { databases: [] };
  const minutes = settings.geoip2AutoreloadInMinutes;
  const taken = new Set<string>();
  const databases = files.geoipDatabases.flatMap((file) => {
    const edition = /^Geo(?:Lite|IP)2-(.+)\.mmdb$/.exec(basename(file))?.[1] ?? "";
    const variables = Object.entries(geoip2Editions[edition] ?? {}).filter(([name]) => !taken.has(name));
    for (const [name] of variables) taken.add(name);
    if (variables.length === 0) return [];
    return [
      {
        file: Token.word(file),
        reload: minutes > 0 && Token.name(`${minutes}m`),
        variables: variables.map(([name, path]) => ({
          name: Token.variable(name),
          path: Token.words(path.split(" ").map(Token.name)),
        })),
      },
    ];
  });
  return { databases };
}
