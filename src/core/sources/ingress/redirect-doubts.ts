/**
 * Warns about redirects that lead nowhere: an address without a scheme, which a browser takes for a
 * path beside the one it asked for, and an address of the redirected paths themselves.
 */

import { shown } from "../../kinds/kind.ts";
import type { Ingress } from "../../model/objects.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { typedPath } from "./paths.ts";

interface Doubt {
  readonly key: string;
  readonly why: string;
}

export function redirectDoubts(
  { spec }: Ingress,
  { redirects: { elsewhere } }: Pick<FeatureValues, "redirects">,
  isGiven: (key: string) => boolean,
): readonly Doubt[] {
  if (elsewhere === undefined) return [];
  const { url } = elsewhere;
  const key = isGiven("temporal-redirect") ? "temporal-redirect" : "permanent-redirect";
  if (/^(?:true|false|on|off|yes|no|https?)$/i.test(url)) {
    const why = "it is the address that clients are sent to, and not a switch; ssl-redirect sends them to https";
    return [{ key, why }];
  }
  if (/^[\w-]+\.[\w.-]+(?::\d+)?(?:[/?]|$)/.test(url)) {
    const why = `${shown(url)} has no scheme, so browsers take it for a path of the same host; write https://${url}`;
    return [{ key, why }];
  }
  const [, host = "", path = "/"] = /^(?:https?:)?\/\/([^/?:]+)(?::\d+)?(\/[^?#]*)?/i.exec(url) ?? [];
  const own = (spec?.rules ?? []).filter((rule) => host !== "" && rule.host?.toLowerCase() === host.toLowerCase());
  const paths = own.flatMap(({ http }) => http?.paths ?? []).map(typedPath);
  const taking = paths.find(({ text, type }) => {
    const below = text.endsWith("/") ? text : `${text}/`;
    return path === text || (type === "prefix" && text !== "/" && path.startsWith(below));
  });
  if (taking === undefined) return [];
  const why = `it leads to the path ${taking.text} of this Ingress, which has the redirect too, so clients are redirected there without end`;
  return [{ key, why }];
}
