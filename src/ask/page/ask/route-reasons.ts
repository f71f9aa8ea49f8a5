/**
 * Finds routes that name a host and are not served, because of a mistake, or because this
 * controller does not serve their Gateways.
 */

import { gatewayGroup, type ParentReference, type Route } from "../../../core/model/gateway/objects.ts";
import { isDefault, usesDefaults } from "../../../core/sources/gateway/listener/default-gateways.ts";
import { readRequest } from "../../matcher/request.ts";
import { kindsFor, mendingOf, mistakenFor, mistakenForAll } from "./mistaken.ts";
import type { AskedWorld, Explaining } from "./world.ts";

/** Returns what would help a request for which no route of a Gateway is found. */
export function gatewayReasons({ world, asked }: Explaining): readonly string[] {
  const host = readRequest(asked)?.host ?? "";
  const kinds = kindsFor(asked.scheme);
  return [
    ...mistakenFor(host, kinds, world),
    ...mistakenForAll(kinds, world),
    ...unservedRoutes(host, asked.scheme, world),
  ];
}

/** Returns sentences. A route without hostnames counts for every host. */
export function unservedRoutes(
  host: string,
  scheme: "http" | "https",
  world: Pick<AskedWorld, "snapshot" | "options" | "findings" | "unread">,
): readonly string[] {
  const { snapshot, options } = world;
  const { httpRoutes, grpcRoutes, tlsRoutes } = snapshot;
  const classes = [...snapshot.gatewayClasses.values()]
    .filter(({ spec }) => spec?.controllerName === options.gateway.controllerName)
    .map(({ metadata }) => metadata.name);
  const tables = scheme === "http" ? [httpRoutes, grpcRoutes] : [httpRoutes, grpcRoutes, tlsRoutes];
  const routes: readonly Route[] = tables.flatMap((table) => [...table.values()]);
  const all = routes
    .filter(({ spec }) => (spec?.hostnames ?? []).length === 0 || spec!.hostnames!.some((name) => takes(name, host)))
    .flatMap((route) => {
      const { kind, metadata, spec } = route;
      const { namespace = "default", name } = metadata;
      const whys = [
        ...(spec?.parentRefs ?? []).map((parent) => whyNot(parent, namespace, world, classes)),
        ...(usesDefaults(route) ? [whyNoDefault(world, classes)] : []),
      ];
      const [why] = whys;
      // One served parent is enough, because its conditions explain the rest.
      if (why === undefined || whys.includes(undefined)) return [];
      return [`${kind} ${namespace}/${name} takes this host, and is not served here: ${why}`];
    });
  return [...new Set(all)];
}

function takes(hostname: string, host: string): boolean {
  const name = hostname.toLowerCase();
  return name === host || (name.startsWith("*.") && host.endsWith(name.slice(1)));
}

function whyNoDefault({ snapshot }: Pick<AskedWorld, "snapshot">, classes: readonly string[]): string | undefined {
  const ours = [...snapshot.gateways.values()].filter(({ spec }) => classes.includes(spec?.gatewayClassName ?? ""));
  return ours.some(isDefault) ? undefined : "it uses the default Gateways, and no Gateway has defaultScope: All";
}

function whyNot(
  { group = gatewayGroup, kind = "Gateway", namespace, name }: ParentReference,
  own: string,
  {
    snapshot: { gateways, gatewayClasses, listenerSets },
    ...world
  }: Pick<AskedWorld, "snapshot" | "findings" | "unread">,
  classes: readonly string[],
): string | undefined {
  if (group !== gatewayGroup) return undefined;
  const key = `${namespace ?? own}/${name}`;
  const mending = mendingOf(kind, key, world);
  if (mending !== undefined) return `${kind} ${key} has a mistake; ${mending}`;
  if (kind === "ListenerSet" && !listenerSets.has(key)) return `ListenerSet ${key} not found`;
  if (kind !== "Gateway") return undefined;
  const gateway = gateways.get(key);
  if (gateway === undefined) return `Gateway ${key} not found`;
  const className = gateway.spec?.gatewayClassName ?? "";
  if (classes.includes(className)) return undefined;
  const found = gatewayClasses.has(className)
    ? `GatewayClass ${className} of Gateway ${key} is another controller's`
    : `Gateway ${key} is of GatewayClass ${className}, which does not exist`;
  return classes.length === 0 ? found : `${found}; write gatewayClassName: ${classes.join(" or ")}`;
}
