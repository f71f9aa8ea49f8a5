/** Computes the paths of a route on the hosts of its listeners. */
import type { Route } from "../../../model/gateway/objects.ts";
import { serverKey, shadowKey } from "../../../model/listeners.ts";
import { objectKey } from "../../../model/objects.ts";
import type { Problem } from "../../../model/problem.ts";
import type { ClaimedPath } from "../../../table/claim.ts";
import type { Turn } from "../../../table/turn.ts";
import { permits } from "../../host-policy/policy.ts";
import { withIdentity } from "../backend-tls/identity.ts";
import { mostRefused, type RefusedHosts } from "../budget/refused-hosts.ts";
import type { Gateways } from "../gateways.ts";
import type { ListenerReading } from "../reading.ts";
import { routeFeatures } from "../route-features.ts";
import { withSettings } from "../route-settings/applied.ts";
import type { AllRouteSettings } from "../route-settings/route-settings.ts";
import { redirectTo } from "../route-settings/twins.ts";
import { type Attachment, hostnamesOf, hostsBy, hostsOn, takenHost } from "./attach.ts";
import type { RouteName } from "./problems.ts";

export interface HostsRead {
  /** Paths by `serverKey`. */
  readonly hosts: ReadonlyMap<string, readonly ClaimedPath[]>;
  /** Guards of RouteSettings that cannot be combined, each once. */
  readonly conflicts: readonly Problem[];
}

export interface HostWorld {
  /** The name of the route. */
  readonly object: RouteName;
  readonly gateways: Gateways;
  readonly settings: AllRouteSettings;
  readonly refused: RefusedHosts | undefined;
  readonly turn: Turn;
  /** Whether the route is in shadow. */
  readonly isShadow: boolean;
}

export function hostsOf(
  route: Route,
  attachments: readonly Attachment[],
  paths: readonly ClaimedPath[],
  { object, gateways, settings, refused, turn, isShadow }: HostWorld,
): HostsRead {
  const hosts = new Map<string, readonly ClaimedPath[]>();
  const conflicts = new Map<string, Problem>();
  if (paths.length === 0) return { hosts, conflicts: [] };
  const { kind, namespace, name: own } = object;
  const called = objectKey(kind, `${namespace}/${own}`);
  const plain = routeFeatures(turn.settings);
  const hostnames = hostnamesOf(route);
  const isPermitted = (host: string) => permits(turn.hostPolicy, namespace, host);
  for (const { parent, listeners } of attachments) {
    const { gateway } = parent;
    const identified = withIdentity(paths, gateways.identity(gateway));
    for (const listener of listeners) {
      if (!gateways.isServed(listener)) continue;
      const applied = withSettings(
        identified,
        { plain, hasTls: gateways.hasTls(gateway, listener) },
        ({ rule, settings: named = [] }) => settings.effective({ route: called, rule, named, listener }),
      );
      for (const problem of applied.conflicts) conflicts.set(JSON.stringify(problem), problem);
      const keyOf = (name: string) => serverKey({ listener: listener.id, name });
      const names = hostsOn(listener, hostnames, isPermitted);
      const isShut = (name: string) =>
        !isShadow && refused?.has(namespace, listener.id, takenHost(listener, name)) === true;
      const shut = names.find(isShut);
      const closed = shut === undefined ? undefined : besideRefused(object, shut);
      if (closed !== undefined) conflicts.set(JSON.stringify(closed), closed);
      const closedPaths = closed && applied.paths.map((path) => ({ ...path, closed: path.closed ?? closed }));
      for (const name of names) {
        const its = closedPaths !== undefined && isShut(name) ? closedPaths : applied.paths;
        hosts.set(isShadow ? shadowKey(keyOf(name)) : keyOf(name), its);
      }
      if (isShadow) continue;
      const twins = settings.twinsOn(listener, names);
      for (const problem of twins.problems) conflicts.set(JSON.stringify(problem), problem);
      for (const [twin, host] of twins.pairs) {
        if (hosts.has(keyOf(twin)) || !isPermitted(twin)) continue;
        hosts.set(keyOf(twin), [redirectTo(host, paths[0]!, plain, turn.settings.httpRedirectCode)]);
      }
    }
  }
  return { hosts, conflicts: [...conflicts.values()] };
}

/**
 * Returns the hosts that a route would have on each listener, by the listener's id: at most one
 * more than count one by one.
 */
export function wantedHosts(route: Route, attachments: readonly Attachment[]): ReadonlyMap<string, readonly string[]> {
  const hostnames = [...new Set(hostnamesOf(route))];
  const hostsAt = hostsBy(hostnames);
  const few = new Map<string, readonly string[]>();
  const fewOn = (one: ListenerReading) => {
    const hosts =
      few.get(one.hostname) ??
      hostsAt(one)
        .slice(0, mostRefused + 1)
        .map((host) => takenHost(one, host));
    few.set(one.hostname, hosts);
    return hosts;
  };
  return new Map(attachments.flatMap(({ listeners }) => listeners.map((one) => [one.id, fewOn(one)] as const)));
}

function besideRefused(object: RouteName, host: string): Problem {
  const where = host === "_" ? "its hosts include" : `${host} is or includes`;
  const why = `${where} a host of another route of namespace ${object.namespace}, which is not attached because of route-records-per-namespace, and whose paths may have guards`;
  return { object, kind: "claim-lost", field: "spec.hostnames", why, done: "its paths there answer 503" };
}
