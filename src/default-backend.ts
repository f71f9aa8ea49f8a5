/**
 * The default backend that the chart can install: a program beside the controller, in the same
 * image. It answers like that of ingress-nginx: 200 for /healthz and 404 for everything else, with
 * any method.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { parseArgs } from "node:util";
import { callback } from "./base/callbacks.ts";
import { keepFew, patience } from "./base/few-connections.ts";

/** Returns a server that does not listen yet; the caller opens and closes it. */
export function defaultBackend(): Server {
  const server = createServer(
    patience,
    callback("an answer", (request: IncomingMessage, response: ServerResponse) => {
      const healthy = request.url === "/healthz" || request.url?.startsWith("/healthz?");
      request.resume();
      response.writeHead(healthy ? 200 : 404, { "content-type": "text/plain; charset=utf-8" });
      response.end(healthy ? "ok" : "default backend - 404");
    }),
  );
  keepFew(server);
  return server;
}

/** Reads `--port=PORT`, or returns a sentence about the mistake. */
export function portOf(argv: readonly string[]): number | string {
  try {
    const { values } = parseArgs({ args: [...argv], options: { port: { type: "string", default: "8080" } } });
    const port = Number(values.port);
    return Number.isInteger(port) && port > 0 && port < 65536 ? port : `--port: ${values.port} is not a port number.`;
  } catch (error) {
    return (error as Error).message;
  }
}

if (import.meta.main) {
  const port = portOf(process.argv.slice(2));
  if (typeof port === "string") {
    console.error(port);
    process.exit(2);
  }
  const server = defaultBackend().listen(port);
  process.once(
    "SIGTERM",
    callback("the end", () => server.close()),
  );
}
