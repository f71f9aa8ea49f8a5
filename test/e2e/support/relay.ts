/** Passes connections on to one address, and counts the bytes that come back. */
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

export interface Relay {
  readonly port: number;
  /** Bytes that came from the server so far, as they are on the wire. */
  received(): number;
  end(): Promise<void>;
}

export async function relayTo(target: { readonly host: string; readonly port: number }): Promise<Relay> {
  let received = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(target);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one
        .on("error", () => other.destroy())
        .on("close", () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
    upstream.on("data", (bytes) => {
      received += bytes.length;
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    end: async () => {
      server.close();
      for (const one of open) one.destroy();
    },
  };
}
