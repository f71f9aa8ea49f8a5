/** Makes the statuses and Problems of RouteSettings that may have changed in a turn. */
import type { DesiredStatus } from "../../../model/gateway/status.ts";
import { kindAndKey, objectKey } from "../../../model/objects.ts";
import type { Problems } from "../../../table/problems.ts";
import type { Turn } from "../../../table/turn.ts";
import type { Gateways } from "../gateways.ts";
import type { RouteSource } from "../route-source.ts";
import type { AllRouteSettings } from "./route-settings.ts";
import { settingsStatus, type TargetSeen, type TargetWorld } from "./status.ts";

export interface StatusSources {
  readonly settings: AllRouteSettings;
  readonly gateways: Pick<Gateways, "parent">;
  readonly routes: readonly RouteSource[];
  readonly problems: Problems;
}

/**
 * Returns the changed statuses. `parents` are Gateways and ListenerSets that have changed, such as
 * `Gateway shop/public`.
 */
export function settingsStatuses(
  { settings, gateways, routes, problems }: StatusSources,
  parents: ReadonlySet<string>,
  turn: Turn,
): [string, DesiredStatus | undefined][] {
  const { before, now } = turn;
  if (now.snapshot.routeSettings.size === 0 && settings.changed.size === 0) return [];
  const changedRoutes = routes.flatMap(({ kind, changedRoutes: keys }) => [...keys].map((key) => objectKey(kind, key)));
  const gone = now.snapshot.gateways.changesSince(before.snapshot.gateways).map(({ key }) => objectKey("Gateway", key));
  const keys = new Set(settings.changed);
  for (const called of [...parents, ...changedRoutes, ...gone])
    for (const key of settings.keysAt(called)) keys.add(key);
  for (const route of routes) for (const key of route.settingsOfChanged) keys.add(key);
  // Settings with the same target as changed ones may have become effective, or no longer are.
  for (const key of settings.changed) for (const other of settings.beside(key)) keys.add(other);
  const world: TargetWorld = {
    seen: (called) => seen(called, turn, { gateways, routes }),
    attachedTo: (called, section) => settings.attachedTo(called, section),
    users: (key) => routes.flatMap((route) => route.usersOf(key).map((user) => objectKey(route.kind, user))),
  };
  return [...keys].map((key) => {
    const reading = settings.reading(key);
    const status = reading && settingsStatus(reading, world);
    problems.replace(objectKey("RouteSettings", key), status?.problems ?? []);
    const object = now.snapshot.routeSettings.get(key);
    const ancestors = status?.ancestors ?? [];
    return [objectKey("RouteSettings", key), object && { kind: "policy", object, ancestors }];
  });
}

function seen(
  called: string,
  { now }: Turn,
  { gateways, routes }: Pick<StatusSources, "gateways" | "routes">,
): TargetSeen | undefined {
  const [kind, key] = kindAndKey(called);
  if (kind === "Gateway" || kind === "ListenerSet") {
    const object = (kind === "Gateway" ? now.snapshot.gateways : now.snapshot.listenerSets).get(key);
    const sections = (object?.spec?.listeners ?? []).map(({ name }) => name);
    return object && { isOurs: gateways.parent(called) !== undefined, sections };
  }
  const { httpRoutes, grpcRoutes } = now.snapshot;
  const route = (kind === "HTTPRoute" ? httpRoutes : grpcRoutes).get(key);
  const sections = (route?.spec?.rules ?? []).flatMap(({ name }) => name ?? []);
  return route && { isOurs: routes.some((one) => one.kind === kind && one.isOurs(key)), sections };
}
