/**
 * The proof with and without endpoints. A Service without endpoints answers 503 whatever its rules
 * are, so nothing could be seen of them. Hosts with such a Service are compared as they are, and
 * once more as if each Service had an endpoint.
 */
import { defaultUpstream, type Upstream } from "../../core/model/configuration.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { servicePortOf } from "../../core/table/upstreams/endpoints.ts";
import type { Difference } from "./difference.ts";
import type { World } from "./effect.ts";
import { type Hosts, type Proof, prove } from "./proof.ts";

export interface Sides {
  readonly ofIngresses: World;
  readonly ofRoutes: World;
}

/** From the block that stands for examples in texts (RFC 5737). */
const address = "192.0.2.1";

export function proveWithEndpoints(
  { ofIngresses, ofRoutes }: Sides,
  { services, endpointSlices }: Pick<Snapshot, "services" | "endpointSlices">,
  isConverted: Hosts["isConverted"],
): Proof {
  const filled = (world: World): World => ({ ...world, served: withEndpoints(world.served, services) });
  const proveFilled = (isCompared: Hosts["isCompared"]) =>
    prove(filled(ofIngresses), filled(ofRoutes), { isCompared, isConverted });
  // A folder has no EndpointSlices, and says nothing about endpoints.
  if (endpointSlices.size === 0) return proveFilled(() => true);
  const asTheyAre = prove(ofIngresses, ofRoutes, { isCompared: () => true, isConverted });
  const lacking = hostsWithoutEndpoints(ofIngresses.served);
  if (lacking.size === 0) return asTheyAre;
  const again = proveFilled((host) => lacking.has(host));
  return {
    hosts: asTheyAre.hosts,
    requests: asTheyAre.requests + again.requests,
    differences: joined(asTheyAre.differences, again.differences),
    // The second proof sends requests to stand-ins for all Services, so every Service has an
    // endpoint there.
    alike: [...asTheyAre.alike.filter(({ host }) => !lacking.has(host)), ...again.alike],
  };
}

function withEndpoints(served: World["served"], services: Snapshot["services"]): World["served"] {
  const upstreams = Table.from([...served.upstreams].map(([id, one]) => [id, withEndpoint(one, services)] as const));
  return { ...served, upstreams };
}

function withEndpoint(upstream: Upstream, services: Snapshot["services"]): Upstream {
  if (upstream.endpoints.length > 0 || upstream.id === defaultUpstream) return upstream;
  const [namespace, name, port = ""] = upstream.id.split(" ")[0]!.split("/");
  const service = services.get(`${namespace}/${name}`);
  const number = (service && servicePortOf(service, port)?.port) ?? Number(port);
  if (service === undefined || !Number.isInteger(number)) return upstream;
  return { ...upstream, endpoints: [{ address, port: number }] };
}

function hostsWithoutEndpoints({ servers, upstreams }: World["served"]): ReadonlySet<string> {
  const isEmpty = (id: string | undefined) => id !== undefined && (upstreams.get(id)?.endpoints.length ?? 1) === 0;
  const lacking = [...servers.values()].filter(
    ({ listener, locations }) =>
      listener === undefined &&
      locations.some(({ backends, canaries, standIn }) =>
        [standIn, ...[...backends, ...canaries].map(({ upstream }) => upstream)].some(isEmpty),
      ),
  );
  return new Set(lacking.map(({ name }) => name));
}

/** Returns each difference of a host once. */
function joined(some: readonly Difference[], others: readonly Difference[]): readonly Difference[] {
  const keyOf = ({ host, kind, field }: Difference) => JSON.stringify([host, kind, field]);
  const known = new Set(some.map(keyOf));
  return [...some, ...others.filter((one) => !known.has(keyOf(one)))];
}
