/**
 * A backend whose answers the test holds back, so that a request is in flight for exactly as long
 * as the test wants.
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

export interface HeldBackend {
  /** The number of requests that wait for their answer. */
  readonly held: number;
  /** Answers them all with 200 and this body. */
  release(body: string): void;
  stop(): Promise<void>;
}

export async function heldBackend(host: string, port: number): Promise<HeldBackend> {
  const waiting = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    waiting.add(response.on("close", () => waiting.delete(response)));
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    get held() {
      return waiting.size;
    },
    release(body) {
      for (const response of waiting) response.end(body);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
