/**
 * Decides which Service has a host that several ask for: `x-shop` in the namespace `a` and `x` in
 * `shop-a` have one host by the pattern `{service}-{namespace}.example.com`. The Service whose
 * Ingress is the oldest keeps it, so that a later annotation takes no host from another tenant.
 * Before there is one, the oldest Service gets it.
 */
import type { Service } from "../../core/model/objects.ts";
import { keyOf } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { ageOf, byAge } from "../../core/table/age.ts";
import { asksForIngress, hostFor, isOurs } from "./desired.ts";

type ByHost = ReadonlyMap<string, readonly Service[]>;

/** The Services that ask for each host; a Table of Services is immutable. */
const indexes = new WeakMap<Snapshot["services"], { readonly pattern: string; readonly byHost: ByHost }>();

function servicesByHost({ services }: Pick<Snapshot, "services">, pattern: string): ByHost {
  const known = indexes.get(services);
  if (known?.pattern === pattern) return known.byHost;
  const byHost = Map.groupBy([...services.values()].filter(asksForIngress), (one) => hostFor(one, pattern));
  indexes.set(services, { pattern, byHost });
  return byHost;
}

/** Returns the keys of all Services that ask for this host. */
export function askingFor(host: string, snapshot: Pick<Snapshot, "services">, pattern: string): readonly string[] {
  return (servicesByHost(snapshot, pattern).get(host) ?? []).map(keyOf);
}

/** Returns the Service that has the host of this one in its place; undefined if this one has it. */
export function rivalOf(service: Service, snapshot: Snapshot, pattern: string): Service | undefined {
  const host = hostFor(service, pattern);
  const asking = servicesByHost(snapshot, pattern).get(host) ?? [];
  if (asking.length < 2) return undefined;
  const since = (one: Service): string => {
    const ingress = snapshot.ingresses.get(keyOf(one));
    const has = ingress !== undefined && isOurs(ingress, one) && ingress.spec?.rules?.[0]?.host === host;
    return has ? (ingress.metadata.creationTimestamp ?? "") : "none";
  };
  const [first] = asking.toSorted((one, other) => {
    const [left, right] = [since(one), since(other)];
    return left === right ? byAge(ageOf(one), ageOf(other)) : left < right ? -1 : 1;
  });
  return first === undefined || keyOf(first) === keyOf(service) ? undefined : first;
}
