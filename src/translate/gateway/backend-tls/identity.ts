/**
 * The certificate that a Gateway shows to backends. One route may have several Gateways, and each
 * has its own.
 */
import type { Identity } from "../../../model/backend-tls.ts";
import type { ClaimedPath } from "../../claim.ts";
import { withId } from "./policy.ts";

/**
 * Only backends with a policy see it: no other connection is known to lead to the backend that is
 * meant.
 */
export function withIdentity(paths: readonly ClaimedPath[], identity: Identity | undefined): readonly ClaimedPath[] {
  if (identity === undefined) return paths;
  return paths.map((path) => {
    const { auth } = path.filters ?? {};
    if (auth?.tls === undefined && path.backends.every(({ tls }) => tls === undefined)) return path;
    const backends = path.backends.map((one) =>
      one.tls === undefined ? one : { ...one, tls: withId({ ...one.tls, identity }) },
    );
    if (auth?.tls === undefined) return { ...path, backends };
    const shown = { ...auth, tls: withId({ ...auth.tls, identity }) };
    return { ...path, backends, filters: { ...path.filters, auth: shown } };
  });
}
