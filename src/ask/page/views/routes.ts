/** The rows of the view Routes: each path of each host, as `sluice routes` lists them. */

import type { Server } from "../../../core/model/configuration.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import type { Failures } from "../../../edges/failures.ts";
import type { ServedRoute } from "../../routes/routes.ts";
import type { RouteRow, RouteState, Traffic } from "../api/routes.ts";
import type { Columns } from "../lists/listing.ts";
import type { TrafficWindows } from "../live/traffic.ts";
import { withoutCredentials } from "../shown.ts";

export type PlainRoute = Omit<RouteRow, "traffic">;

/** `traffic` returns the present figures. */
export function routeColumns(traffic: () => TrafficWindows | undefined): Columns<PlainRoute> {
  const of = (row: PlainRoute) => trafficOf(row, traffic());
  return {
    sorts: {
      // The places that tell apart routes on one path come last.
      host: ({ host, path, listener, when, owner }) => [host, path, listener, when, owner.name].join("\0"),
      path: ({ path }) => path,
      match: ({ match }) => match,
      owner: ({ owner }) => `${owner.name} ${owner.kind}`,
      backend: ({ backend }) => backend,
      endpoints: ({ ready }) => ready,
      state: ({ state }) => state,
      requests: (row) => of(row)?.requestsPerSecond ?? 0,
      errors: (row) => of(row)?.errorsPerSecond ?? 0,
      p50: (row) => of(row)?.p50?.seconds ?? 0,
      p99: (row) => of(row)?.p99?.seconds ?? 0,
    },
    moving: ["requests", "errors", "p50", "p99"],
    texts: ({ host, path, owner, listener, when, backend, state, why }) => [
      `${host}${path}`,
      `${owner.kind} ${owner.name}`,
      listener,
      when,
      backend,
      state,
      why,
    ],
  };
}

/** Returns null while requests are not counted. */
export function trafficOf(
  { countedHost, owner, path }: PlainRoute,
  traffic: TrafficWindows | undefined,
): Traffic | null {
  return traffic?.of(countedHost, owner.name, path) ?? null;
}

/** `route` is that of the location of `server` at that place. */
export function rowOf(
  route: ServedRoute,
  { server, at }: { readonly server: Server<FeatureValues>; readonly at: number },
  failures: Pick<Failures, "isFailing">,
): PlainRoute {
  const { features, standIn } = server.locations[at]!;
  const { host, path, type, ingress, service, endpoints, notReady, canaries, why = "" } = route;
  const { elsewhere } = features.redirects;
  const countedHost = server.listener === undefined ? host : server.name;
  const state = elsewhere === undefined ? stateOf(route, standIn !== undefined) : "ok";
  const isFailing = state === "ok" && failures.isFailing({ host: countedHost, owner: ingress, path }, endpoints);
  return {
    host,
    countedHost,
    path,
    match: type,
    owner: ingress === "/" ? { kind: "", name: "" } : { kind: route.route?.kind ?? "Ingress", name: ingress },
    listener: route.route?.listener ?? "",
    when: route.route?.when ?? "",
    backend: elsewhere === undefined ? service : `redirect ${elsewhere.code}`,
    ready: endpoints.length,
    notReady,
    canaries: canaries.length,
    state: isFailing ? "failing" : state,
    why: withoutCredentials(why),
  };
}

function stateOf({ type, denied, service, endpoints, canaries }: ServedRoute, standsIn: boolean): RouteState {
  if (type === "unreachable") return "unreachable";
  if (denied) return "closed";
  const asksEndpoints = service !== "" && !service.startsWith("redirect ") && !standsIn;
  const isEmpty = endpoints.length === 0 && canaries.every((one) => one.endpoints === 0);
  return asksEndpoints && isEmpty ? "no endpoints" : "ok";
}
