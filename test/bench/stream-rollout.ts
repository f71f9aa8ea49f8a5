/**
 * Measures a rollout of 100 endpoints behind a TCPRoute, under new connections and with open ones.
 * An endpoint ends five seconds after it left its EndpointSlice, as a Pod does after its grace
 * period. There has to be no reload, no failed connection, none that is lost while its endpoint
 * lives, and no new one to an endpoint more than two seconds after it left. The nginx of this
 * machine may be too old for that: `npm run bench -- --on-image stream-rollout` uses the image's.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { askCapabilities } from "../../src/nginx/capabilities.ts";
import { type Served, serving } from "../nginx/support/serve.ts";
import { until } from "../nginx/support/until.ts";
import type { Figure } from "./measured.ts";
import { fileOf } from "./support/hosts.ts";
import { tcpRoute, tcpSlice } from "./support/tcp-route.ts";

const ports = { listen: 21_973, backend: 21_974 } as const;
const endpoints = 100;
const [batch, batchMs] = [5, 500];
const [graceMs, lateMs] = [5_000, 2_000];
const clients = 4;

export async function streamRollout(): Promise<Figure[]> {
  const asked = await askCapabilities("nginx", process.env.PATH ?? "");
  if (!asked.ok) throw new Error(asked.why);
  const { version, upstreamResolve } = asked.capabilities;
  const numbers = Array.from({ length: endpoints }, (_, at) => at + 1);
  const before = await Promise.all(numbers.map((n) => Backend.on(`127.107.0.${n}`)));
  const after = await Promise.all(numbers.map((n) => Backend.on(`127.108.0.${n}`)));
  const served = await serving({ files: filesOf(before), limitMs: 120_000 });
  const held: Held[] = [];
  try {
    await until("the route to answer", async () => (await open()).by !== undefined, 60_000);
    held.push(...(await Promise.all(numbers.map(open))).map(watched));
    const reloadsBefore = reloadsOf(served);
    const traffic = startTraffic();
    const ends: Promise<void>[] = [];
    for (let moved = batch; moved <= endpoints; moved += batch) {
      served.write("endpoints.yaml", endpointsOf([...before.slice(moved), ...after.slice(0, moved)]));
      ends.push(...before.slice(moved - batch, moved).map((backend) => backend.leave()));
      await delay(batchMs);
      held.push(watched(await open()));
    }
    await Promise.all(ends);
    await delay(lateMs);
    const made = await traffic();
    const of = new Map([...before, ...after].map((backend) => [backend.address, backend]));
    const late = made.filter(({ by, begun }) => by !== undefined && begun > of.get(by)!.left + lateMs);
    const lost = held.filter(({ by, closed }) => by === undefined || closed < of.get(by)!.ended);
    const what = (text: string) => `TCPRoute, nginx ${version}: ${text}`;
    const failed = made.filter(({ by }) => by === undefined);
    return [
      { what: what("new connections during the rollout"), values: [made.length] },
      { what: what("new connections that failed"), values: [failed.length], bound: 0 },
      { what: what("new connections to an endpoint more than 2 s after it left"), values: [late.length], bound: 0 },
      { what: what("connections held open"), values: [held.length] },
      { what: what("held connections lost while their endpoint lived"), values: [lost.length], bound: 0 },
      {
        what: what("reloads"),
        values: [reloadsOf(served) - reloadsBefore],
        ...(upstreamResolve ? { bound: 0 } : {}),
      },
    ].map((figure) => ({ unit: "", ...figure }) as Figure);
  } finally {
    for (const { socket } of held) socket.destroy();
    await served.remove();
    for (const backend of [...before, ...after]) backend.end();
  }
}

const filesOf = (backends: readonly Backend[]) => ({
  "cluster.yaml": fileOf(tcpRoute(ports.listen)),
  "endpoints.yaml": endpointsOf(backends),
});
const endpointsOf = (backends: readonly Backend[]) => {
  const addresses = backends.map(({ address }) => address);
  return fileOf([tcpSlice(addresses, ports.backend)]);
};
const reloadsOf = (served: Served) => served.lines().filter(({ msg }) => msg === "applied with a reload").length;

/** Sends its address to each client and keeps the connection. */
class Backend {
  readonly address: string;
  /** When it left its slice and when it ended, on the clock of `performance.now`. */
  left = Infinity;
  ended = Infinity;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(address: string) {
    this.address = address;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket.on("error", () => {}));
      socket.once("close", () => this.#sockets.delete(socket)).write(`${address}\n`);
    });
  }

  static async on(address: string): Promise<Backend> {
    const backend = new Backend(address);
    backend.#server.listen(ports.backend, address);
    await once(backend.#server, "listening");
    return backend;
  }

  async leave(): Promise<void> {
    this.left = performance.now();
    await delay(graceMs);
    this.ended = performance.now();
    this.end();
  }

  end(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

interface Connection {
  readonly begun: number;
  /** The address of the endpoint; undefined if none answered. */
  readonly by: string | undefined;
  readonly socket: Socket;
}
type Held = Connection & { closed: number };

function open(): Promise<Connection> {
  const begun = performance.now();
  const socket = connect(ports.listen, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("data", (data) => resolve({ begun, by: String(data).trim(), socket }));
    socket.once("close", () => resolve({ begun, by: undefined, socket })).on("error", () => {});
  });
}

function watched(connection: Connection): Held {
  const held: Held = { ...connection, closed: connection.socket.destroyed ? 0 : Infinity };
  connection.socket.once("close", () => {
    held.closed = performance.now();
  });
  return held;
}

/** Opens connections until it is stopped; returns all of them. */
function startTraffic(): () => Promise<readonly Connection[]> {
  const made: Connection[] = [];
  let isOver = false;
  const one = async () => {
    while (!isOver) {
      const connection = await open();
      connection.socket.destroy();
      made.push(connection);
      await delay(5);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, one));
  return async () => {
    isOver = true;
    await all;
    return made;
  };
}
