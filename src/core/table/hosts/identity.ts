/**
 * Applies proxy-ssl-* to a whole host: a path without a proxy-ssl-secret of its own uses the
 * certificate of the host's oldest owner (RS-3.5), but only in the same namespace. Otherwise
 * another tenant's path would show the owner's certificate to its backends.
 */
import type { Settings } from "../../settings/registry.ts";
import type { Claim } from "../claim.ts";

export function withHostIdentity(claims: readonly Claim[], { proxySslLocationOnly }: Settings): readonly Claim[] {
  if (proxySslLocationOnly) return claims;
  const given = claims.filter(
    ({ features: { proxySsl } }) => proxySsl.kind === "identity" && proxySsl.authorities !== "",
  );
  if (given.length === 0) return claims;
  return claims.map((claim) => {
    if (claim.features.proxySsl.kind !== "none") return claim;
    const owner = given.find(({ owner: one }) => one.namespace === claim.owner.namespace);
    return owner === undefined
      ? claim
      : { ...claim, features: { ...claim.features, proxySsl: owner.features.proxySsl } };
  });
}
