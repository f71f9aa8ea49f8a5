/** Finds hosts for logs that name none, by the upstream that ingress-nginx writes. */

import type { AskedRequest } from "../../ask/matcher/request.ts";
import type { Configuration } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { literalPrefix } from "../../core/tokens/literal-prefix.ts";
import { hostsOf, schemesOf } from "../replay/probes.ts";

export interface Host {
  readonly name: string;
  readonly scheme: AskedRequest["scheme"];
}

/** Finds the hosts that have the longest path to the upstream with this label for a target. */
export function hostsByUpstream({
  servers,
  upstreams,
}: Configuration<Settings, FeatureValues>): (upstream: string, target: string) => readonly Host[] {
  const byLabel = new Map<string, { host: Host; path: string }[]>();
  for (const server of servers.values()) {
    const [scheme = "http"] = schemesOf(server);
    const [name = server.name] = hostsOf(server);
    for (const { path, match, location: at } of server.routes) {
      const location = server.locations[at]!;
      const shown = match === "exact" || match === "prefix" ? path : literalPrefix(path);
      for (const { upstream } of [...location.backends, ...location.canaries]) {
        const { label = upstream } = upstreams.get(upstream) ?? {};
        byLabel.set(label, [...(byLabel.get(label) ?? []), { host: { name, scheme }, path: shown }]);
      }
    }
  }
  return (upstream, target) => {
    const fits = (byLabel.get(upstream) ?? []).filter(({ path }) => target.startsWith(path.replace(/\/$/, "")));
    const longest = Math.max(0, ...fits.map(({ path }) => path.length));
    const hosts = fits.filter(({ path }) => path.length === longest).map(({ host }) => host);
    return [...new Map(hosts.map((host) => [host.name, host])).values()];
  };
}
