/**
 * `npm start`: three small backends on loopback addresses and `sluice serve examples/shop` in front
 * of them, on 8080 and 8443 or the next ports that are free. Flags of `sluice serve` may follow:
 * `npm start -- --http-port 9080`. Everything it writes is in the folder `run`; Ctrl-C ends all of
 * it.
 */
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import { serve } from "../src/cli/serve.ts";
import { parseFlags } from "../src/controller/flags/parse.ts";
import type { Flags } from "../src/controller/flags.ts";
import { pageAddress } from "../src/controller/parts/page.ts";
import { isBusy, nextFree } from "../src/controller/run/free-ports.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const backends = [
  ["web", "127.0.0.11"],
  ["api", "127.0.0.12"],
  ["docs", "127.0.0.13"],
] as const;

process.chdir(root);
const given = process.argv.slice(2);
const parsed = parseFlags(["examples/shop", ...given], "serve");
if (parsed.kind === "failure") {
  say(`npm start: ${parsed.why}\n`);
  process.exit(2);
}
if (parsed.kind !== "flags") {
  say(
    `npm start serves examples/shop and takes the flags of sluice serve, such as: npm start -- --http-port 9080 --https-port 9443\n`,
  );
  process.exit(0);
}
/** The flags of TCP ports that other programs may use. */
const portFlags = {
  httpPort: "http-port",
  httpsPort: "https-port",
  healthzPort: "healthz-port",
  statusPort: "status-port",
  defaultServerPort: "default-server-port",
} as const satisfies Partial<Record<keyof Flags, string>>;
type PortName = keyof typeof portFlags;
const portNames = Object.keys(portFlags) as PortName[];

const ports = await freePorts(parsed.flags);
const { httpPort: http, httpsPort: https, healthzPort: healthz } = ports;

const lines = [
  [`"http://shop.localhost:${http}/"`, "the shop: Prefix /"],
  [`"http://status.localhost:${http}/status"`, "an Exact path"],
  [`"http://shop.localhost:${http}/api/items"`, "a regular expression with a rewrite: the backend sees /items"],
  [`-k "https://docs.localhost:${https}/"`, "TLS with the certificate of a Secret"],
  [`-i "http://docs.localhost:${http}/"`, `redirected to https on port ${https}`],
  [`"http://127.0.0.1:${healthz}/healthz?verbose"`, "health; /metrics is there, too"],
] as const;

const servers = await Promise.all(backends.map(([name, address]) => backend(name, address)));
const flags = portNames.map((name) => `--${portFlags[name]}=${ports[name]}`);
const page = pageAddress({ ...parsed.flags, healthzPort: healthz });
const exitCode = await serve(
  ["--enable-metrics", ...given, ...flags, "examples/shop"],
  { write: say, fail: (text) => say(`${text}\n`) },
  process,
  () => {
    const width = Math.max(...lines.map(([command]) => command.length));
    say(`\nTry, in another terminal:\n\n${lines.map(([one, what]) => `  curl ${one.padEnd(width)}  # ${what}\n`).join("")}
${page === undefined ? "" : `In the browser: ${page} shows routes, problems and the last changes.\n`}
Then edit a file in examples/shop and ask again. The access log is run/logs/access.log. Ctrl-C ends everything.\n\n`);
  },
);
for (const server of servers) {
  server.close();
  server.closeAllConnections();
}
process.exitCode = exitCode;

/**
 * Ports of the command line are used as they are, and a busy one ends the start in one line, before
 * nginx says it in many. Instead of a busy default port the next free one is used.
 */
async function freePorts(wanted: Flags): Promise<Record<PortName, number>> {
  const taken = new Set<number>();
  const found = async (flag: string, usual: number) => {
    if (given.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`))) {
      if (!(await isBusy(usual))) return usual;
      const free = await nextFree(usual, taken);
      say(`npm start: another program uses port ${usual} of --${flag}; end it, or write --${flag} ${free}\n`);
      process.exit(1);
    }
    const port = await nextFree(usual, taken);
    taken.add(port);
    if (port !== usual)
      say(`Port ${usual} is busy, so ${port} is used; npm start -- --${flag} PORT chooses another.\n`);
    return port;
  };
  const all: Partial<Record<PortName, number>> = {};
  for (const name of portNames) all[name] = await found(portFlags[name], wanted[name]);
  return all as Record<PortName, number>;
}

/** A small backend that answers with its name and the request. */
async function backend(name: string, address: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.end(`${name} at ${address} was asked for ${request.url} of ${request.headers.host}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(9000, address, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === "EADDRINUSE"
        ? "another program is using this address, probably an npm start in another terminal; end that first"
        : error.message;
    say(`The backend ${name} cannot listen on ${address}:9000: ${why}.\n`);
    process.exit(1);
  });
  return server;
}

function say(text: string): void {
  process.stdout.write(text);
}
