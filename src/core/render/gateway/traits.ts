/** The traits of a route that decide about the text of its Location, beside its features. */

import { defaultUpstream, type Location, type WeightedBackend } from "../../model/configuration.ts";
import type { BackendProtocol, RetriedStatus } from "../../model/filters.ts";
import type { RouteTraits } from "../../model/route-traits.ts";
import { holds } from "../../policies/hooks.ts";
import type { FeatureValues } from "../../policies/registry.ts";
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
 * Removes timeouts from the failures after which another endpoint is tried: a request whose time is
 * up is answered, and a slow try is not repeated.
 */
function withoutLateTries(values: FeatureValues): FeatureValues {
  const cases = values.nextUpstream.cases.filter((one) => one !== "timeout");
  return { ...values, nextUpstream: { ...values.nextUpstream, cases: cases.length > 0 ? cases : ["off"] } };
}

/**
 * Sets the failures after which another try follows: those that a route names, and failed
 * connections. Lua counts the tries and decides which requests may be repeated.
 */
function withRetries(values: FeatureValues, codes: readonly RetriedStatus[]): FeatureValues {
  const cases = [
    "error",
    "timeout",
    "invalid_header",
    ...codes.map((code) => `http_${code}` as const),
    "non_idempotent",
  ] as const;
  return { ...values, nextUpstream: { cases: [...cases], timeout: 0, tries: 0 } };
}

/**
 * Returns the features of a Location with these traits. Its own auth service replaces the
 * operator's.
 */
export function forRoute(values: FeatureValues, { asks, limited, endless, retries }: RouteTraits = {}): FeatureValues {
  const asked: FeatureValues = asks === undefined ? values : { ...values, externalAuth: { kind: "none" } };
  if (retries !== undefined) return withRetries(asked, retries);
  return limited === true && endless !== true ? withoutLateTries(asked) : asked;
}

/**
 * Whether the route redirects to https. Only RouteSettings can demand that, because the ConfigMap's
 * ssl-redirect is not for routes.
 */
function redirects({ sslRedirect }: FeatureValues): boolean {
  return sslRedirect.always || sslRedirect.whenConfigured;
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
    ...(location.owner !== undefined && holds("hasZones", location.features, "location")
      ? { zonesOf: location.owner.namespace }
      : {}),
    route: filterTraits(location, filters),
  };
}
