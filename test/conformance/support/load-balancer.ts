/**
 * Stands in for the load balancer of a cloud, and for the network of a cluster: every Service of
 * type LoadBalancer gets an address of this machine, and connections and datagrams to it are passed
 * on to the ready endpoints of its slices. They arrive from this machine's address.
 */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { connect, createServer, type Server } from "node:net";
import { type EndpointSlice, keyOf, type Service, serviceOf } from "../../../src/core/model/objects.ts";
import { endpointSlices, services } from "../../../src/edges/resources.ts";
import { Client, kubeConfigCredentials, nameOf, SharedInformer } from "../../../src/kube/index.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";

export interface LoadBalancer {
  stop(): Promise<void>;
}

export async function startLoadBalancer(cluster: Cluster, addresses: readonly string[]): Promise<LoadBalancer> {
  const client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  const stopping = new AbortController();
  const balanced = new SharedInformer<Service>(client, services);
  const slices = new SharedInformer<EndpointSlice>(client, endpointSlices);
  const given = new Map<string, string>();
  const listening = new Map<string, { close(): unknown }>();

  /** `address:port` of the ready endpoints behind a port of a Service. */
  const endpoints = (key: string, port: string | undefined): readonly (readonly [string, number])[] =>
    [...slices.store.values()]
      .filter((slice) => serviceOf(slice) === key)
      .flatMap((slice) => {
        const target = slice.ports?.find(({ name }) => name === port)?.port;
        const ready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
        return target === undefined ? [] : ready.flatMap(({ addresses: [ip = ""] }) => [[ip, target] as const]);
      });

  const listen = (key: string, address: string, port: number, name: string | undefined): Server => {
    let turn = 0;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const all = endpoints(key, name);
      const [host, target] = all[turn++ % all.length] ?? [];
      if (host === undefined || target === undefined) return socket.resetAndDestroy();
      const beyond = connect({ host, port: target, allowHalfOpen: true });
      socket.on("error", () => beyond.destroy());
      beyond.on("error", () => socket.resetAndDestroy());
      socket.pipe(beyond).pipe(socket);
      return undefined;
    });
    server.on("error", (error) => console.log(`load balancer: ${address}:${port}: ${error.message}`));
    return server.listen(port, address);
  };

  /** Each client has a socket of its own towards the endpoint, so answers find the way back. */
  const relay = (key: string, address: string, port: number, name: string | undefined) => {
    const clients = new Map<string, UdpSocket>();
    const server = createSocket("udp4");
    server.on("message", (message, client) => {
      const from = `${client.address}:${client.port}`;
      const known = clients.get(from);
      if (known !== undefined) return known.send(message);
      const [host, target] = endpoints(key, name)[0] ?? [];
      if (host === undefined || target === undefined) return undefined;
      const beyond = createSocket("udp4");
      clients.set(from, beyond);
      beyond.on("message", (answer) => server.send(answer, client.port, client.address));
      beyond.on("error", () => {
        clients.delete(from);
        beyond.close();
      });
      return beyond.connect(target, host, () => beyond.send(message));
    });
    server.on("error", (error) => console.log(`load balancer: UDP ${address}:${port}: ${error.message}`));
    server.bind(port, address);
    return {
      close() {
        server.close();
        for (const beyond of clients.values()) beyond.close();
        clients.clear();
      },
    };
  };

  /**
   * Tries again after a failure, because no other event would cause a try while the cluster is at
   * rest.
   */
  const give = async (key: string, address: string): Promise<void> => {
    const body = { status: { loadBalancer: { ingress: [{ ip: address }] } } };
    const patch = { type: "merge", subresource: "status", body } as const;
    const answer = await client.patch(services, nameOf(key), patch, stopping.signal);
    if (answer.ok || answer.failure.code === 404 || stopping.signal.aborted) return;
    console.log(`load balancer: Service ${key}: ${answer.failure.message}`);
    setTimeout(look, 1_000).unref();
  };

  const look = (): void => {
    if (stopping.signal.aborted) return;
    const wanted = new Map<string, () => { close(): unknown }>();
    const present = [...balanced.store.values()].filter(({ spec }) => spec?.type === "LoadBalancer");
    const keys = new Set(present.map(keyOf));
    for (const key of given.keys()) if (!keys.has(key)) given.delete(key);
    for (const service of present) {
      const key = keyOf(service);
      const address = given.get(key) ?? addresses.find((one) => ![...given.values()].includes(one));
      if (address === undefined) {
        console.log(`load balancer: no address is left for Service ${key}`);
        continue;
      }
      given.set(key, address);
      if (service.status?.loadBalancer?.ingress?.[0]?.ip !== address) void give(key, address);
      for (const { port, name, protocol = "TCP" } of service.spec?.ports ?? []) {
        const open = protocol === "UDP" ? relay : listen;
        wanted.set(`${key} ${protocol} ${address} ${port} ${name}`, () => open(key, address, port, name));
      }
    }
    for (const [called, server] of listening) {
      if (wanted.has(called)) continue;
      server.close();
      listening.delete(called);
    }
    for (const [called, open] of wanted) if (!listening.has(called)) listening.set(called, open());
  };
  balanced.subscribe(() => look());
  const running = [balanced, slices].map((informer) => informer.run(stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
      for (const server of listening.values()) server.close();
      client.close();
    },
  };
}
