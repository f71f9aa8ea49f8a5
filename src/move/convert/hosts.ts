/**
 * Finds the hosts that have routes of their own: hosts of Ingresses, aliases that differ in TLS,
 * and the www twins of hosts.
 */

import type { Server } from "../../core/model/configuration.ts";
import type { Ingress } from "../../core/model/objects.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { HostRoute } from "./routes.ts";
import { type DraftRule, ownerKey, ownerName } from "./rules.ts";

/** A route whose listeners are not known yet. */
export type Unattached = Omit<HostRoute, "parents" | "everywhere">;

type IngressServer = Server<FeatureValues>;

/**
 * Aliases have routes of their own if http is redirected for the host but not for them, or the
 * other way round.
 */
export function byTls(server: IngressServer): readonly IngressServer[] {
  const others = server.aliases.filter(({ tlsConfigured }) => tlsConfigured !== server.tlsConfigured);
  const [first, ...rest] = others;
  if (first === undefined) return [server];
  const alike = { ...server, aliases: server.aliases.filter((alias) => !others.includes(alias)) };
  const { name, certificate, tlsConfigured } = first;
  return [alike, { ...server, name, certificate, tlsConfigured, aliases: rest, redirectFrom: undefined }];
}

/**
 * Returns the www twin of a host (`www.` added or removed), which only redirects to the host, with
 * `statusCode`.
 */
export function twinOf(server: IngressServer, statusCode: number): Unattached | undefined {
  const { name, redirectFrom: twin, locations } = server;
  const source = locations.find(({ features }) => features.redirects.twin) ?? locations[0];
  if (twin === undefined || source?.owner === undefined) return undefined;
  const { namespace } = source.owner;
  const rule: DraftRule = {
    matches: [{ path: { type: "PathPrefix", value: "/" } }],
    filters: [{ type: "RequestRedirect", requestRedirect: { hostname: name, statusCode } }],
    backendRefs: [],
    spec: {},
    comments: [`from ${ownerName(source)}, annotation from-to-www-redirect`],
    ingress: ownerKey(source),
  };
  const { certificate, tlsConfigured } = twin;
  const other = {
    ...server,
    name: twin.name,
    aliases: [],
    redirectFrom: undefined,
    certificate,
    tlsConfigured,
    locations: [],
    routes: [],
  };
  return { server: other, namespace, rules: [rule], ingresses: [source.owner.name], hosts: 2 };
}

/** Returns the hosts of the rules, in lower case; empty for a rule without a host. */
export function hostsOf(ingress: Ingress | undefined): readonly string[] {
  return (ingress?.spec?.rules ?? []).map(({ host = "" }) => host.toLowerCase());
}
