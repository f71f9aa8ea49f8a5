/**
 * `npm start`: three small backends on loopback addresses and `sluice serve examples/shop` in front of them, on 8080 and 8443.
 * Everything it writes is in the folder `run`; Ctrl-C ends all of it.
 */
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import { serve } from "../src/cli/serve.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const backends = [
  ["web", "127.0.0.11"],
  ["api", "127.0.0.12"],
  ["docs", "127.0.0.13"],
] as const;

const lines = [
  ["curl http://shop.localhost:8080/", "the shop: Prefix /"],
  ["curl http://status.localhost:8080/status", "an Exact path"],
  ["curl http://shop.localhost:8080/api/items", "a regular expression with a rewrite: the backend sees /items"],
  ["curl -k https://docs.localhost:8443/", "TLS with the certificate of a Secret"],
  ["curl -i http://docs.localhost:8080/", "redirected to https"],
  ["curl http://127.0.0.1:10254/healthz?verbose", "health; /metrics is there, too"],
] as const;

process.chdir(root);
const servers = await Promise.all(backends.map(([name, address]) => backend(name, address)));
const exitCode = await serve(["examples/shop"], { write: say, fail: (text) => say(`${text}\n`) }, process, () => {
  const width = Math.max(...lines.map(([command]) => command.length));
  say(`\nTry, in another terminal:\n\n${lines.map(([one, what]) => `  ${one.padEnd(width)}  # ${what}\n`).join("")}
Then edit a file in examples/shop and ask again. The access log is run/logs/access.log. Ctrl-C ends everything.\n\n`);
});
for (const server of servers) {
  server.close();
  server.closeAllConnections();
}
process.exitCode = exitCode;

/** Says who it is and what it was asked. */
async function backend(name: string, address: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.end(`${name} at ${address} was asked for ${request.url} of ${request.headers.host}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(9000, address, resolve);
  }).catch((error: Error) => {
    say(`The backend ${name} cannot listen on ${address}:9000: ${error.message}\n`);
    process.exit(1);
  });
  return server;
}

function say(text: string): void {
  process.stdout.write(text);
}
