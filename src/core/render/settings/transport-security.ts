/** The values of the header by which a browser uses TLS alone for a host (hsts). */

import { isVariableName } from "../../kinds/variables.ts";
import type { Settings } from "../../settings/registry.ts";
import { Token } from "../../tokens/token.ts";

/**
 * Returns the values of Strict-Transport-Security: with TLS, without TLS, and for a page that is
 * not the location's own.
 */
export function transportSecurity(settings: Settings): { readonly [name: string]: Token } {
  const { hsts, hstsMaxAge, hstsIncludeSubdomains, hstsPreload, followed } = settings;
  const added = followed.addHeaders.find(({ name }) => name.toLowerCase() === "strict-transport-security");
  const otherwise =
    added === undefined
      ? Token.variable("upstream_http_strict_transport_security")
      : Token.variables(added.value, isVariableName);
  const parts = [
    `max-age=${hstsMaxAge}`,
    ...(hstsIncludeSubdomains ? ["includeSubDomains"] : []),
    ...(hstsPreload ? ["preload"] : []),
  ];
  return {
    secure: hsts ? Token.text(parts.join("; ")) : otherwise,
    otherwise,
    added: added === undefined ? Token.text("") : otherwise,
  };
}
