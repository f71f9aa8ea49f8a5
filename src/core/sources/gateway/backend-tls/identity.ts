/**
 * The certificate that a Gateway shows to backends. One route may have several Gateways, and each
 * has its own.
 */
import type { BackendTls, Identity } from "../../../model/backend-tls.ts";
import type { ClaimedPath } from "../../../table/claim.ts";
import { withId } from "./policy.ts";

/**
 * Adds the certificate to the TLS settings of backends and filters, which come from a policy. Other
 * connections are not verified to lead to the right backend, so they show no certificate.
 */
export function withIdentity(paths: readonly ClaimedPath[], identity: Identity | undefined): readonly ClaimedPath[] {
  if (identity === undefined) return paths;
  return paths.map((path) => {
    const { filters, backends } = path;
    const own = { ...(filters === undefined ? {} : { filters }), backends };
    const shown = shownIn(own, identity);
    return shown === own ? path : { ...path, ...shown };
  });
}

/** Returns the same value if no TLS settings are in it. */
function shownIn<T>(value: T, identity: Identity): T {
  if (typeof value !== "object" || value === null) return value;
  const before = Object.entries(value);
  const after = before.map(([name, one]) => {
    const shown =
      name === "tls" && one !== undefined ? withId({ ...(one as BackendTls), identity }) : shownIn(one, identity);
    return [name, shown] as const;
  });
  if (after.every(([, one], at) => one === before[at]![1])) return value;
  return (Array.isArray(value) ? after.map(([, one]) => one) : Object.fromEntries(after)) as T;
}
