/**
 * Starts a controller with ten thousand hosts and continuous requests, and returns the address of
 * its page.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import { request } from "../../nginx/support/request.ts";
import { ports, type Served, serving } from "../../nginx/support/serve.ts";
import { backendAddresses, backendPort, gatewayPort, hostAt, townFiles } from "./town.ts";

export interface PageWorld {
  readonly served: Served;
  readonly origin: string;
  /** Sends a request to the Gateway. */
  askGateway(host: string, path: string): Promise<void>;
  /** Stops the requests, the controller and the backends. */
  stop(): Promise<void>;
}

const hosts = 10_000;
/** The hosts that get requests. */
const busyHosts = 40;

export async function startPageWorld(): Promise<PageWorld> {
  const backends = await openBackends();
  const served = await serving({
    files: await townFiles(hosts),
    flags: ["--enable-metrics", "--configmap=ingress-nginx/settings"],
    limitMs: 200_000,
  });
  const ending = new AbortController();
  const traffic = Promise.all([requests(served, ending.signal), requests(served, ending.signal)]);
  return {
    served,
    origin: `http://127.0.0.1:${ports.health}`,
    async askGateway(host, path) {
      const { status } = await request({ to: `127.0.0.1:${gatewayPort}`, host, path });
      if (status !== 200) throw new Error(`${host}${path} at the Gateway answers ${status}`);
    },
    async stop() {
      ending.abort();
      await traffic;
      await served.remove();
      for (const backend of backends) {
        backend.close();
        backend.closeAllConnections();
      }
    },
  };
}

/** Most answers take a few milliseconds; the path `/fail` answers an error. */
const answer: RequestListener = (request, response) => {
  setTimeout(() => response.writeHead(request.url === "/fail" ? 500 : 200).end("ok"), Math.random() * 12);
};

/** Starts the servers of all working endpoints. */
export function openBackends(): Promise<Server[]> {
  return Promise.all(
    backendAddresses.map(async (address) => {
      const server = createServer(answer);
      await new Promise<void>((resolve) => server.listen(backendPort, address, resolve));
      return server;
    }),
  );
}

async function requests({ ask }: Served, signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    const host = at % 3 === 0 ? "www.shop.example.com" : hostAt(at % busyHosts);
    await ask(host, at % 50 === 1 ? "/fail" : "/");
  }
}
