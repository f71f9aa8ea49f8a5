/** Authorities and key pairs of RouteSettings, which nginx loads once for each listener. */

import { type RouteSettings, targetsOf } from "../../../model/gateway/route-settings.ts";
import type { Snapshot } from "../../../model/snapshot.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import type { SettingsReading } from "./reading.ts";

/** Returns the bytes that nginx loads for one listener. */
export function bytesLoaded({ values, forRules }: SettingsReading): number {
  return Math.max(bytesIn(values), forRules === undefined ? 0 : bytesIn(forRules.values));
}

function bytesIn({ clientCertificate, proxySsl }: FeatureValues): number {
  const ofClients =
    clientCertificate.kind === "verify" ? clientCertificate.authorities.length + clientCertificate.revoked.length : 0;
  const ofBackends =
    proxySsl.kind === "identity"
      ? proxySsl.authorities.length + proxySsl.chain.length + proxySsl.key.reveal().length
      : 0;
  return ofClients + ofBackends;
}

/**
 * Returns the number of listeners to which the object is attached, at least one. Rules count as one
 * listener.
 */
export function listenersOf(
  settings: RouteSettings,
  { gateways, listenerSets }: Pick<Snapshot, "gateways" | "listenerSets">,
): number {
  const { namespace = "default" } = settings.metadata;
  return (
    targetsOf(settings).reduce((sum, { kind, name, sectionName }) => {
      const key = `${namespace}/${name}`;
      const parent =
        kind === "Gateway" ? gateways.get(key) : kind === "ListenerSet" ? listenerSets.get(key) : undefined;
      return sum + (sectionName === undefined ? (parent?.spec?.listeners?.length ?? 1) : 1);
    }, 0) || 1
  );
}
