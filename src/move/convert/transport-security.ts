/**
 * The header Strict-Transport-Security. The ConfigMap adds it to every answer of an Ingress over
 * TLS; routes need a filter for it.
 */
import type { HTTPRouteFilter } from "../../core/model/gateway/objects.ts";
import { answerHeaderFilter } from "../../core/policies/header-changes/convert.ts";
import type { Settings } from "../../core/settings/registry.ts";

/** Returns the header that Ingresses send with each answer over TLS. */
export function transportSecurity(settings: Settings): readonly HTTPRouteFilter[] {
  if (!settings.hsts) return [];
  const set = [{ name: "Strict-Transport-Security", value: transportSecurityValue(settings) }];
  return [answerHeaderFilter(set)];
}

export function transportSecurityValue({ hstsMaxAge, hstsIncludeSubdomains, hstsPreload }: Settings): string {
  const parts = [
    `max-age=${hstsMaxAge}`,
    ...(hstsIncludeSubdomains ? ["includeSubDomains"] : []),
    ...(hstsPreload ? ["preload"] : []),
  ];
  return parts.join("; ");
}
