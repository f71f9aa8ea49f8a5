/**
 * The proof with and without endpoints. A Service without endpoints answers 503 whatever its rules
 * are, so nothing could be seen of them. So hosts are compared as if each Service had an endpoint,
 * as in the local pair of nginx, and as they are.
 */
import { defaultUpstream, type Upstream } from "../../core/model/configuration.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { servicePortOf } from "../../core/table/upstreams/endpoints.ts";
import type { Difference } from "./difference.ts";
import type { World } from "./effect.ts";
import { type IsConverted, type Proof, prove } from "./proof.ts";

export interface Sides {
  readonly ofIngresses: World;
  readonly ofRoutes: World;
}

/** From the block that stands for examples in texts (RFC 5737). */
const address = "192.0.2.1";

export function proveWithEndpoints(
  { ofIngresses, ofRoutes }: Sides,
  { services, endpointSlices }: Pick<Snapshot, "services" | "endpointSlices">,
  isConverted: IsConverted,
): Proof {
  const fill = (world: World): World => ({ ...world, served: withEndpoints(world.served, services) });
  const filled = prove(fill(ofIngresses), fill(ofRoutes), isConverted);
  // A folder has no EndpointSlices, and says nothing about endpoints.
  if (endpointSlices.size === 0) return filled;
  const asTheyAre = prove(ofIngresses, ofRoutes, isConverted);
  return { ...filled, differences: joined(asTheyAre.differences, filled.differences) };
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

/** Returns each difference of a host once. */
function joined(some: readonly Difference[], others: readonly Difference[]): readonly Difference[] {
  const keyOf = ({ host, kind, field }: Difference) => JSON.stringify([host, kind, field]);
  const known = new Set(some.map(keyOf));
  return [...some, ...others.filter((one) => !known.has(keyOf(one)))];
}
