/** The traits of a route that decide about the text of its Location, beside its features. */

import { defaultUpstream, type Location, type WeightedBackend } from "../../model/configuration.ts";
import type { BackendProtocol } from "../../model/filters.ts";
import { hasZones } from "../../policies/rate-limits.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { hasGroups, redirectsAway } from "../../policies/rewrite/declaration.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Scheme } from "../../tokens/pools.ts";
import { type LocationTraits, traitsOf } from "../location/text.ts";
import { filterTraits } from "./filter-records.ts";

/** An h2c backend gets requests as gRPC backends do: nginx's client for HTTP/2 is the same. */
const schemes: Readonly<Record<BackendProtocol, Scheme>> = {
  http: "HTTP",
  https: "HTTPS",
  h2c: "GRPC",
  grpcs: "GRPCS",
};

/** The scheme with TLS for each scheme. */
const secured: Readonly<Record<Scheme, Scheme>> = {
  HTTP: "HTTPS",
  HTTPS: "HTTPS",
  AUTO_HTTP: "HTTPS",
  GRPC: "GRPCS",
  GRPCS: "GRPCS",
  FCGI: "FCGI",
};

/**
 * Whether the route redirects to https. Only RouteSettings can demand that, because the ConfigMap's
 * ssl-redirect is not for routes.
 */
function redirects({ sslRedirect }: FeatureValues): boolean {
  return sslRedirect.always || sslRedirect.whenConfigured;
}

/** Whether RouteSettings rewrite the path, perhaps with groups of it. */
function rewritesByGroups({ features }: Location<FeatureValues>): boolean {
  return hasGroups(features) && !redirectsAway(features);
}

/** Returns the traits of a route. `host` has the settings of the host as a whole. */
export function routeTraitsOf(
  location: Location<FeatureValues>,
  { protocol, tls, upstream, filters }: WeightedBackend,
  host: FeatureValues,
  settings: Settings,
): LocationTraits {
  const traits = traitsOf(location, host, settings);
  const scheme = protocol === undefined ? location.features.backendProtocol.scheme : schemes[protocol];
  return {
    ...traits,
    redirectsToHttps: traits.redirectsToHttps && redirects(location.features),
    scheme: upstream === defaultUpstream ? "HTTP" : tls === undefined ? scheme : secured[scheme],
    ...(tls === undefined || upstream === defaultUpstream ? {} : { tls }),
    ...(location.owner !== undefined && hasZones(location.features) ? { zonesOf: location.owner.namespace } : {}),
    route: { ...filterTraits(location.filters, filters), ...(rewritesByGroups(location) ? { spells: true } : {}) },
  };
}
