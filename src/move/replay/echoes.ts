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

/** The JSON answer of a stand-in backend. */
export interface Echo {
  /** `namespace/name` of the Service. */
  readonly service: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export async function startEchoes({ services }: Snapshot): Promise<Echoes> {
  const keys = [...services.keys()].sort();
  const addresses = new Map(keys.map((key, at) => [key, addressOf(at)]));
  const servers: Server[] = [];
  let port = 0;
  for (const [service, address] of addresses) {
    const server = createServer((request, response) => {
      const { method = "", url = "", headers } = request;
      const echo: Echo = { service, method, url, headers };
      request.resume();
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(echo));
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
