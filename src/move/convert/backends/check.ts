/**
 * The requirements on a backend's certificate, in a form that `proxy-ssl-*` and a BackendTLSPolicy
 * share. A policy also offers TLS 1.2 and 1.3, and accepts chains of up to ten certificates.
 */

import { authoritiesOf } from "../../../core/certificates/authorities.ts";
import type { BackendTls } from "../../../core/model/backend-tls.ts";
import type { ProxySsl } from "../../../core/policies/backend-tls/declaration.ts";
import { isPreciseHostname } from "../../../core/sources/gateway/backend-tls/policy.ts";

export interface BackendCheck {
  /** Certificates in PEM, or the path of a file. */
  readonly authorities: string;
  /** Sent as SNI, and compared with the certificate. */
  readonly hostname: string;
}

/** Returns the requirements of `proxy-ssl-*`; undefined if a policy cannot express them. */
export function checkOf(value: ProxySsl): BackendCheck | undefined {
  if (value.kind === "none" || !value.verify || !value.sni || value.chain !== "") return undefined;
  if (value.ciphers !== "DEFAULT" || !isPreciseHostname(value.name)) return undefined;
  const authorities = authoritiesOf(value.authorities);
  return authorities.ok ? { authorities: authorities.text, hostname: value.name.toLowerCase() } : undefined;
}

/**
 * Returns the requirements of a policy. With further names, or with a certificate that the Gateway
 * shows, the result has more fields and so never equals a `BackendCheck`.
 */
export function checkedBy({ authorities, hostname: name, names, identity }: BackendTls): object {
  const text = authorities.kind === "pem" ? authorities.text : authorities.path;
  const check: BackendCheck = { authorities: text, hostname: name };
  return names.length === 0 && identity === undefined
    ? check
    : { ...check, names, hasIdentity: identity !== undefined };
}
