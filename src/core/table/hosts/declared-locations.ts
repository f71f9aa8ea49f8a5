/**
 * Finds locations that permitted snippets declare on a host. nginx finds these by name for every
 * request of the server. So a backend of another namespace could send its clients there by
 * X-Accel-Redirect, in spite of `internal`. The header of such backends is therefore ignored.
 */

import type { Location } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { hostNeedsPath, needsPath } from "../../policies/snippets.ts";
import type { Claim } from "../claim.ts";

/**
 * Whether a Location belongs to one namespace while a snippet of another declares locations. `host`
 * holds the server-snippet in force. Locations without an owner belong to the operator, who may use
 * all of them.
 */
export function declaredLocations(
  claims: readonly Claim[],
  host: FeatureValues,
): (location: Location<FeatureValues>) => boolean {
  const declares = ({ features }: Claim) =>
    needsPath(features) || (hostNeedsPath(features) && features.serverSnippet === host.serverSnippet);
  if (!claims.some(declares)) return isDeclaredByNone;
  const authors = new Set(claims.filter(declares).map(({ owner }) => owner.namespace));
  return ({ owner }) => owner !== undefined && [...authors].some((namespace) => namespace !== owner.namespace);
}

const isDeclaredByNone = () => false;
