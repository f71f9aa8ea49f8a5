/**
 * A TCP proxy before the API server that a test breaks on purpose. It only sees TLS records, so a
 * corrupted byte is a broken connection for the client, as on a real network. Every fault except
 * `cut` also affects connections that are opened while it lasts.
 */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";

export type Fault =
  | { readonly kind: "none" }
  /** Bytes are accepted and held back, in both directions, until the fault ends. */
  | { readonly kind: "stall" }
  | { readonly kind: "delay"; readonly ms: number }
  /** One bit of the next chunk from the server is inverted. */
  | { readonly kind: "corrupt" }
  /** New connections are closed at once. */
  | { readonly kind: "refuse" };

export class FaultyProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #fault: Fault = { kind: "none" };
  #released = Promise.withResolvers<void>();
  /** The number of accepted connections so far. */
  accepted = 0;

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((client) => {
      this.accepted += 1;
      if (this.#fault.kind === "refuse") return client.destroy();
      const upstream = connect(target);
      const pair = [client, upstream] as const;
      this.#pairs.add(pair);
      for (const [one, other] of [pair, [upstream, client] as const]) {
        one.on("error", () => {});
        one.once("close", () => {
          this.#pairs.delete(pair);
          other.destroy();
        });
        one.pipe(this.#obstacle(one === upstream)).pipe(other);
      }
    });
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#pairs.size;
  }

  listen(host: string): Promise<string> {
    return new Promise((ready) => {
      this.#server.listen(0, host, () => ready(`https://${host}:${(this.#server.address() as AddressInfo).port}`));
    });
  }

  set fault(fault: Fault) {
    this.#fault = fault;
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  /** Ends every connection that is open now. */
  cut(): void {
    for (const [client, upstream] of this.#pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  }

  async close(): Promise<void> {
    this.fault = { kind: "none" };
    this.cut();
    await new Promise((closed) => this.#server.close(closed));
  }

  #obstacle(fromServer: boolean): Transform {
    return new Transform({
      transform: async (chunk: Buffer, _encoding, pass) => {
        while (this.#fault.kind === "stall") await this.#released.promise;
        const fault = this.#fault;
        if (fault.kind === "delay") await new Promise((late) => setTimeout(late, fault.ms));
        if (fault.kind === "corrupt" && fromServer) {
          chunk.writeUInt8((chunk.at(-1) as number) ^ 1, chunk.length - 1);
          this.fault = { kind: "none" };
        }
        pass(null, chunk);
      },
    });
  }
}
