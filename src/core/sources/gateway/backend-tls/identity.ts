/**
 * The certificate that a Gateway shows to backends. One route may have several Gateways, and each
 * has its own.
 */
import type { BackendTls, Identity } from "../../../model/backend-tls.ts";
import type { Filters } from "../../../model/filters.ts";
import type { ClaimedPath } from "../../../table/claim.ts";
import { withId } from "./policy.ts";

/**
 * Adds the certificate to backends with a policy only, because other connections are not verified
 * to lead to the right backend.
 */
export function withIdentity(paths: readonly ClaimedPath[], identity: Identity | undefined): readonly ClaimedPath[] {
  if (identity === undefined) return paths;
  const shown = <T extends { readonly tls?: BackendTls }>(one: T): T =>
    one.tls === undefined ? one : { ...one, tls: withId({ ...one.tls, identity }) };
  const shownBy = (filters: Filters): Filters => {
    const { auth, mirrors } = filters;
    if (auth === undefined && mirrors === undefined) return filters;
    return {
      ...filters,
      ...(auth === undefined ? {} : { auth: shown(auth) }),
      ...(mirrors === undefined
        ? {}
        : { mirrors: mirrors.map((one) => (one.way === undefined ? one : { ...one, way: shown(one.way) })) }),
    };
  };
  const withFilters = <T extends { readonly filters?: Filters }>(one: T): T =>
    one.filters === undefined ? one : { ...one, filters: shownBy(one.filters) };
  return paths.map((path) => {
    const isAsked = [path, ...path.backends].some(
      ({ filters }) => filters?.auth?.tls !== undefined || filters?.mirrors?.some(({ way }) => way?.tls !== undefined),
    );
    if (!isAsked && path.backends.every(({ tls }) => tls === undefined)) return path;
    return { ...withFilters(path), backends: path.backends.map((one) => withFilters(shown(one))) };
  });
}
