/**
 * Says what would help a request that a listener takes, but none of its routes. The rules that were
 * compared are steps of the answer, so these sentences name only the routes.
 */

import { didYouMean } from "../../../base/did-you-mean.ts";
import { nearest } from "../../../core/kinds/nearest.ts";
import { catchAll } from "../../../core/model/configuration.ts";
import { named } from "../../../core/model/problem.ts";
import type { GatewayDecision } from "../../matcher/decision.ts";
import type { Served } from "../../matcher/host.ts";
import { someOf } from "./steps.ts";

/** Whether the listener has routes for the host, with other paths or conditions. */
export const hasRoutes = ({ path, lost }: GatewayDecision): boolean => path?.kind !== "location" && lost.length > 0;

/** Returns sentences, none if a route takes the request. */
export function ruleReasons(
  decision: GatewayDecision,
  { host, uri }: { readonly host: string; readonly uri: string },
  served: Pick<Served, "servers">,
): readonly string[] {
  const { listener, lost, path } = decision;
  if (path?.kind === "location") return [];
  const at = `Gateway ${listener.gateway}, listener ${listener.name}`;
  if (!hasRoutes(decision)) {
    const names = hostsAt(listener.id, served);
    if (names.includes(host)) return [];
    if (names.length === 0) return [`no route is attached to ${at}`];
    return [
      `no route of ${at} has the host ${host}${didYouMean(nearest(host, names))}; its routes have ${someOf(names)}`,
    ];
  }
  const owners = [...new Set(lost.map(({ location: { owner } }) => (owner === undefined ? at : named(owner))))];
  const exact = lost.find(({ route: { match, path } }) => match === "exact" && uri.startsWith(`${path}/`));
  return [
    `no rule of ${someOf(owners)} takes this request; add one, or change one of those above`,
    ...(exact === undefined ? [] : [`${exact.route.path} is Exact; with type: PathPrefix it would take this one`]),
  ];
}

/** Returns the hosts of the listener's routes, without the name for all hosts. */
function hostsAt(listener: string, { servers }: Pick<Served, "servers">): readonly string[] {
  const all = [...servers.values()].filter((one) => one.listener === listener && one.name !== catchAll);
  return [...new Set(all.map(({ name }) => name))].sort();
}
