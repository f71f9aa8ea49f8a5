/**
 * One full build in a process of its own, whose instructions and memory its caller measures:
 * `whole-build.ts KIND HOSTS`. Prints the bytes of all records and those of the heap after the
 * build.
 */
import { emptySnapshot } from "../../../src/core/model/snapshot.ts";
import { changed, hostOf, ingress, ingressClass, service, slice } from "./hosts.ts";
import { openPipeline } from "./pipeline.ts";
import { besideOf, gateway, gatewayClass, route } from "./routes.ts";

export type Crowd = "Ingresses" | "HTTPRoutes" | "Ingresses and HTTPRoutes on one port";

const [kind, hosts] = process.argv.slice(2) as [Crowd, string];

/** With both kinds, every second host is that of a route. */
function objectsOf(at: number): readonly object[] {
  const backends = [service(at), slice(at, [`10.${(at >> 14) & 255}.${(at >> 6) & 255}.${(at & 63) + 1}`])];
  if (kind === "Ingresses") return [ingress(at), ...backends];
  if (kind === "HTTPRoutes") return [route(at, { gateway: "apart", host: hostOf(at) }), ...backends];
  const host = besideOf(hostOf(at));
  return [at % 2 === 0 ? ingress(at) : route(at, { gateway: "both", host }), ...backends];
}

const snapshot = changed(
  emptySnapshot,
  ...[ingressClass, gatewayClass, gateway("apart", 8000), gateway("both", 80)],
  ...Array.from({ length: Number(hosts) }, (_, at) => objectsOf(at)).flat(),
);
const pipeline = await openPipeline({ gatewayAddresses: ["192.0.2.1"], sharedGateway: "shop/both" });
const { records } = pipeline.turn(snapshot as never);
let bytes = 0;
for (const [key, { value = "" }] of records) bytes += key.length + value.length;
gc?.();
console.log(JSON.stringify({ records: bytes, heap: process.memoryUsage().heapUsed }));
