/**
 * Stand-ins for all Services. Each has its own address on this machine, and its answer describes
 * the request. So no backend of the cluster gets a request.
 */
import { createServer, type Server } from "node:http";
import type { EndpointSlice, Service } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";

export interface Echoes {
  /** Returns the Snapshot with the stand-ins in place of all endpoints. */
  standIn(snapshot: Snapshot): Snapshot;
  stop(): Promise<void>;
}

/** Headers that may differ from request to request. */
const volatile = new Set([
  "x-request-id",
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-port",
  "connection",
  "host-port",
]);

export async function startEchoes({ services }: Snapshot): Promise<Echoes> {
  const keys = [...services.keys()].sort();
  const addresses = new Map(keys.map((key, at) => [key, addressOf(at)]));
  const servers: Server[] = [];
  let port = 0;
  for (const [service, address] of addresses) {
    const server = createServer((request, response) => {
      const { method = "", url = "", headers } = request;
      const seen = Object.entries(headers).filter(([name]) => !volatile.has(name));
      request.resume();
      response.setHeader("Content-Type", "text/plain");
      response.end([`${service} sees ${method} ${url}`, ...seen.map(([name, text]) => `${name}: ${text}`)].join("\n"));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, address, resolve);
    });
    const bound = server.address();
    if (port === 0 && bound !== null && typeof bound === "object") port = bound.port;
    servers.push(server);
  }
  return {
    standIn: (snapshot) => {
      const all = [...addresses].map(
        ([key, address]) => [key, sliceOf(key, services.get(key)!, address, port)] as const,
      );
      return { ...snapshot, services: withoutAddresses(snapshot.services), endpointSlices: Table.from(all) };
    },
    stop: async () => {
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
}

/** Returns the address of a stand-in, from 127.1.0.1 on; nginx uses 127.0.0.1. */
const addressOf = (at: number): string =>
  `127.${1 + Math.floor(at / 62_500)}.${Math.floor(at / 250) % 250}.${1 + (at % 250)}`;

function sliceOf(key: string, { spec }: Service, address: string, port: number): EndpointSlice {
  const [namespace = "", name = ""] = key.split("/");
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace, name, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: (spec?.ports ?? []).map(({ name: called = "" }) => ({ name: called, port, protocol: "TCP" })),
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  } as EndpointSlice;
}

/**
 * Removes the addresses of Services, because `service-upstream` would send requests to the cluster.
 */
function withoutAddresses(services: Snapshot["services"]): Snapshot["services"] {
  return Table.from(
    [...services].map(([key, service]) => {
      const { clusterIP: _, clusterIPs: __, ...spec } = service.spec ?? {};
      return [key, { ...service, spec }] as const;
    }),
  );
}
