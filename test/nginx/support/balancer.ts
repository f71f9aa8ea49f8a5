/**
 * A balancer of TCP connections, as kube-proxy and load balancers are: it opens a connection to one
 * of its replicas for each connection that it accepts, and learns late which replicas are ready.
 */
import { connect, createServer, type Server } from "node:net";

/** The ports of a replica on 127.0.0.1. */
export interface Replica {
  readonly http: number;
  readonly https: number;
}

export interface Balancer {
  readonly http: number;
  readonly https: number;
  /** The number of connections that a replica has refused. */
  readonly refused: number;
  /** The replicas that get the next connections, in turn. */
  replicas: readonly Replica[];
  close(): void;
}

/** Listens on two ports of 127.0.0.1 that the kernel chooses. */
export async function openBalancer(): Promise<Balancer> {
  let replicas: readonly Replica[] = [];
  let [turn, refused] = [0, 0];
  const open = async (scheme: keyof Replica) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const replica = replicas[turn++ % replicas.length];
      if (replica === undefined) return client.resetAndDestroy();
      const to = connect({ port: replica[scheme], host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
      // A reset of one side becomes a reset of the other one.
      client.on("error", () => to.resetAndDestroy());
      to.on("error", ({ code }: NodeJS.ErrnoException) => {
        if (code === "ECONNREFUSED") refused++;
        client.resetAndDestroy();
      });
      client.pipe(to).pipe(client);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  };
  const [http, https] = await Promise.all([open("http"), open("https")]);
  return {
    http: portOf(http),
    https: portOf(https),
    get refused() {
      return refused;
    },
    get replicas() {
      return replicas;
    },
    set replicas(next) {
      replicas = next;
    },
    close() {
      for (const server of [http, https]) server.close();
    },
  };
}

const portOf = (server: Server): number => (server.address() as { readonly port: number }).port;
