/** The way in which a backend gets requests: the protocol, and the checks of its certificate. */

import { defaultUpstream, type WeightedBackend } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { checkedBy, checkOf } from "../convert/backends/check.ts";

export interface Connection {
  readonly protocol: string;
  /** Empty without TLS. */
  readonly tls: string;
}

/** Returns the way from a Location of an Ingress. */
export function connectionOf(upstream: string, { backendProtocol: { scheme }, proxySsl }: FeatureValues): Connection {
  if (upstream === defaultUpstream) return { protocol: "HTTP", tls: "" };
  if (!isTls(scheme)) return { protocol: scheme, tls: "" };
  const check = checkOf(proxySsl);
  return { protocol: scheme, tls: JSON.stringify(check ?? proxySsl) };
}

/** Protocols by the names that ports of Services use, with the names that annotations use. */
const protocols = { http: "HTTP", https: "HTTPS", h2c: "GRPC", grpcs: "GRPCS" } as const;
const secured: Readonly<Record<string, string>> = { HTTP: "HTTPS", AUTO_HTTP: "HTTPS", GRPC: "GRPCS" };

/**
 * Returns the way from a rule of a route: the port of the Service comes before the annotation, and
 * a policy adds TLS.
 */
export function connectionOfRule(
  { upstream, protocol, tls }: Pick<WeightedBackend, "upstream" | "protocol" | "tls">,
  features: FeatureValues,
): Connection {
  const scheme = protocol === undefined ? features.backendProtocol.scheme : protocols[protocol];
  if (tls === undefined) return connectionOf(upstream, { ...features, backendProtocol: { scheme } });
  return { protocol: secured[scheme] ?? scheme, tls: JSON.stringify(checkedBy(tls)) };
}

const isTls = (scheme: string): boolean => scheme.endsWith("S") || scheme === "AUTO_HTTP";

export function connectionFields(all: readonly Connection[]): readonly (readonly [string, string])[] {
  const each = (texts: readonly string[]) => [...new Set(texts)].sort().join(", ");
  return [
    ["feature backend-protocol", each(all.map(({ protocol }) => protocol))],
    ["feature proxy-ssl", each(all.map(({ tls }) => tls))],
  ];
}
