/**
 * Finds routes that name a host and are not served, because this controller does not serve their
 * Gateways.
 */
import { gatewayGroup, type ParentReference, type Route } from "../../model/gateway/objects.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { AskedWorld } from "./world.ts";

/** Returns sentences. A route without hostnames counts for every host. */
export function unservedRoutes(
  host: string,
  { snapshot, options }: Pick<AskedWorld, "snapshot" | "options">,
): readonly string[] {
  const classes = [...snapshot.gatewayClasses.values()]
    .filter(({ spec }) => spec?.controllerName === options.gateway.controllerName)
    .map(({ metadata }) => metadata.name);
  const routes: readonly Route[] = [...snapshot.httpRoutes.values(), ...snapshot.grpcRoutes.values()];
  const all = routes
    .filter(({ spec }) => (spec?.hostnames ?? []).length === 0 || spec!.hostnames!.some((name) => takes(name, host)))
    .flatMap(({ kind, metadata: { namespace = "default", name }, spec }) => {
      const whys = (spec?.parentRefs ?? []).map((parent) => whyNot(parent, namespace, snapshot, classes));
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

function whyNot(
  { group = gatewayGroup, kind = "Gateway", namespace, name }: ParentReference,
  own: string,
  { gateways, gatewayClasses }: Snapshot,
  classes: readonly string[],
): string | undefined {
  if (group !== gatewayGroup || kind !== "Gateway") return undefined;
  const key = `${namespace ?? own}/${name}`;
  const gateway = gateways.get(key);
  if (gateway === undefined) return `Gateway ${key} not found`;
  const asked = gateway.spec?.gatewayClassName ?? "";
  if (classes.includes(asked)) return undefined;
  const found = gatewayClasses.has(asked)
    ? `GatewayClass ${asked} of Gateway ${key} is another controller's`
    : `Gateway ${key} is of GatewayClass ${asked}, which does not exist`;
  return classes.length === 0 ? found : `${found}; write gatewayClassName: ${classes.join(" or ")}`;
}
