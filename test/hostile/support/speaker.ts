/**
 * A backend or auth service whose answers a test decides. It keeps the requests as text, so that
 * repeated headers are not lost. It runs on a port of its own.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Asked {
  readonly method: string;
  readonly url: string;
  /** Names in lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface Speaker {
  readonly address: string;
  readonly port: number;
  readonly origin: string;
  /** The requests since the last `forget`. */
  readonly asked: readonly Asked[];
  forget(): void;
  /** If it is undefined, the server answers 200 with its name. */
  answer: RequestListener | undefined;
  stop(): Promise<void>;
}

export async function speaker(address: string, name: string): Promise<Speaker> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    asked.push(await noted(request));
    if (it.answer === undefined) response.end(name);
    else it.answer(request, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => {}));
  });
  server.listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const it: Speaker = {
    ...{ address, port, origin: `http://${address}:${port}`, asked, answer: undefined },
    forget: () => void asked.splice(0),
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
  return it;
}

async function noted(request: IncomingMessage): Promise<Asked> {
  const { rawHeaders, method = "", url = "" } = request;
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ""] as const] : [],
  );
  let body = "";
  try {
    for await (const chunk of request.setEncoding("latin1")) body += chunk;
  } catch {
    body += " (cut off)";
  }
  return { method, url, headers, body };
}
