/**
 * The header Strict-Transport-Security. The ConfigMap adds it to every answer of an Ingress over
 * TLS; routes need a filter for it.
 */
import type { HTTPRouteFilter } from "../model/gateway/objects.ts";
import type { Settings } from "../settings/registry.ts";

/** Returns the header that Ingresses send with each answer over TLS. */
export function transportSecurity({
  hsts,
  hstsMaxAge,
  hstsIncludeSubdomains,
  hstsPreload,
}: Settings): readonly HTTPRouteFilter[] {
  if (!hsts) return [];
  const parts = [
    `max-age=${hstsMaxAge}`,
    ...(hstsIncludeSubdomains ? ["includeSubDomains"] : []),
    ...(hstsPreload ? ["preload"] : []),
  ];
  const set = [{ name: "Strict-Transport-Security", value: parts.join("; ") }];
  return [{ type: "ResponseHeaderModifier", responseHeaderModifier: { set } }];
}
