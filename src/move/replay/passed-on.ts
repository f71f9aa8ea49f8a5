/**
 * Computes the effect of TLS that nginx passes on by the name in the handshake. No request is seen
 * there, so only the Services and their shares are compared. Whether they have endpoints is not,
 * because an Ingress leads to the cluster's address of the Service, and a TLSRoute to its
 * endpoints.
 */
import type { AskedRequest } from "../../ask/matcher/request.ts";
import { decideStreams } from "../../ask/matcher/streams.ts";
import type { Effect, World } from "./effect.ts";

export const passedAnswer = "of the backend, which gets the TLS itself";

/** Returns the effect of an Ingress; undefined if TLS does not pass through. */
export function passedByIngress({ passed }: World, { scheme, host }: AskedRequest): Effect | undefined {
  const target = scheme === "https" ? passed.get(host) : undefined;
  if (target === undefined) return undefined;
  return effectOf([`${target.namespace}/${target.service}:${target.port} 100%`]);
}

/** Returns the effect of a TLSRoute; undefined if no TLS listener takes the name. */
export function passedByRoute(
  { served, options: { ports } }: World,
  { scheme, host }: AskedRequest,
): Effect | undefined {
  if (scheme !== "https") return undefined;
  const stream = { protocol: "tls", host, port: ports.https } as const;
  const found = decideStreams(served, stream, ports).find(({ place }) => place.kind === "gateway");
  if (found === undefined) return undefined;
  if (found.owner === undefined) return new Map([["answer", "none: no TLSRoute has the name"]]);
  if (found.certificates !== undefined) return new Map([["answer", "of the backend, behind TLS that nginx ends"]]);
  return effectOf(found.targets.map(({ service, share }) => `${service} ${Math.round(share * 1e6) / 1e4}%`));
}

const effectOf = (targets: readonly string[]): Effect =>
  new Map([
    ["answer", passedAnswer],
    ["backends", [...targets].sort().join(", ")],
  ]);
