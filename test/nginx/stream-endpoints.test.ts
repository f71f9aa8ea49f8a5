/**
 * Endpoints of streams that come and go under connections. An nginx that can ask for them
 * (`upstreamResolve`) is not reloaded for that, and goes on with the last ones while the controller
 * is away. Any other nginx is reloaded for each change.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { fakeCertificate } from "../../src/certificates/fake.ts";
import type { StreamServer } from "../../src/model/configuration.ts";
import { streamKey } from "../../src/model/records.ts";
import { answerStreamEndpoints } from "../../src/names/stream-endpoints.ts";
import { streamService } from "../../src/render/streams/pools.ts";
import { configurationOf, startGateways } from "./support/gateways.ts";
import { installedNginx } from "./support/installed.ts";
import { until } from "./support/until.ts";

const { upstreamResolve } = await installedNginx();
/** nginx asks once a second; a busy machine takes longer. */
const lagMs = upstreamResolve ? 3_000 : 0;
const [listenPort, backendPort] = [18_799, 9_400];

interface Backend {
  readonly address: string;
  /** When it got its connections, by `performance.now()`. */
  readonly accepted: number[];
}

/** Says its address to each client, and keeps the connection. */
async function backendOn(address: string): Promise<Backend> {
  const accepted: number[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    accepted.push(performance.now());
    sockets.add(socket.on("error", () => {}));
    socket.write(`${address}\n`);
  });
  server.listen(backendPort, address);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { address, accepted };
}

const streamTo = (...backends: (readonly [weight: number, ...addresses: string[]])[]): StreamServer => ({
  ...{
    kind: "gateway",
    id: `shop/public:${listenPort}`,
    protocol: "tcp",
    address: "127.0.0.1",
    listenPort,
    owners: [],
  },
  hosts: [
    {
      hostname: "",
      certificates: undefined,
      backends: backends.map(([weight, ...addresses]) => {
        return { weight, endpoints: addresses.map((address) => ({ address, port: backendPort })) };
      }),
    },
  ],
});

/** Connects; resolves with the address of the backend that answered, or with `failed`. */
function ask(): Promise<{ readonly by: string; readonly socket: Socket }> {
  const socket = connect(listenPort, "127.0.0.1");
  const said = new Promise<string>((resolve) => {
    socket.once("data", (data) => resolve(String(data).trim()));
    socket.once("close", () => resolve("failed")).on("error", () => {});
  });
  onTestFinished(() => void socket.destroy());
  return said.then((by) => ({ by, socket }));
}

const answers = async (count: number): Promise<Readonly<Record<string, number>>> => {
  const found: Record<string, number> = {};
  for (let at = 0; at < count; at++) {
    const { by, socket } = await ask();
    socket.destroy();
    found[by] = (found[by] ?? 0) + 1;
  }
  return found;
};

async function setUp(base: number) {
  const it = await startGateways(base);
  // A new pool has no address until nginx's first question is answered.
  it.nginx.expectError(/no live upstreams|connect\(\) failed \(111: Connection refused\).*upstream: "127\.0\.0\.1:0"/);
  const plain = configurationOf({ ports: [], hosts: [] }, await fakeCertificate(new Date()));
  let end: () => Promise<void> = async () => {};
  const listen = () => {
    const recordOf = async (pool: string) => it.records.get(streamKey(pool));
    end = answerStreamEndpoints({ port: 10_247, service: streamService(it.machine), recordOf, report: () => {} });
  };
  listen();
  onTestFinished(() => end());
  return {
    it,
    /** The controller's part goes away, and comes back. */
    leave: () => end(),
    comeBack: listen,
    serve: (stream: StreamServer, timeout = "600s") =>
      it.serve({ ...plain, streams: [stream], settings: { ...plain.settings, proxyStreamTimeout: timeout as never } }),
  };
}

const oneOfThem = (addresses: readonly string[]) => () => ask().then(({ by }) => addresses.includes(by));

test("a rollout of 100 endpoints ends no connection and sends none to an endpoint that has gone", async () => {
  const { serve } = await setUp(18_780);
  const numbers = Array.from({ length: 100 }, (_, at) => at + 1);
  const before = await Promise.all(numbers.map((n) => backendOn(`127.103.0.${n}`)));
  const after = await Promise.all(numbers.map((n) => backendOn(`127.103.1.${n}`)));
  await serve(streamTo([1, ...before.map(({ address }) => address)]));
  await until("the first endpoints", oneOfThem(before.map(({ address }) => address)));
  const held = await Promise.all(numbers.map(() => ask()));
  const closed: Socket[] = [];
  for (const { socket } of held) socket.once("close", () => closed.push(socket));
  const goneAt = new Map<Backend, number>();
  let reloads = 0;
  let failed = 0;
  let isOver = false;
  const traffic = (async () => {
    while (!isOver) failed += (await answers(1)).failed ?? 0;
  })();
  for (let batch = 0; batch < 20; batch++) {
    const moved = 5 * (batch + 1);
    const endpoints = [...before.slice(moved), ...after.slice(0, moved)].map(({ address }) => address);
    if (await serve(streamTo([1, ...endpoints]))) reloads++;
    for (const backend of before.slice(moved - 5, moved)) goneAt.set(backend, performance.now());
    await delay(100);
  }
  await until("the last endpoints", async () => {
    const seen = await answers(50);
    return Object.keys(seen).every((address) => address.startsWith("127.103.1."));
  });
  isOver = true;
  await traffic;
  expect(failed).toBe(0);
  expect(closed).toEqual([]);
  expect(reloads).toBe(upstreamResolve ? 0 : 20);
  const late = [...goneAt].map(([{ accepted }, gone]) => Math.max(0, ...accepted.map((at) => at - gone)));
  expect(Math.max(...late)).toBeLessThan(lagMs + 1_000);
});

const textOnly = "endpoints of streams are text before nginx 1.27.3";

test("weights change without a reload, and a pool that loses all endpoints refuses", async (context) => {
  if (!upstreamResolve) context.skip(textOnly);
  const { serve } = await setUp(18_784);
  await Promise.all(["127.104.0.1", "127.104.0.2"].map(backendOn));
  await serve(streamTo([7, "127.104.0.1"], [3, "127.104.0.2"]));
  await until("both", oneOfThem(["127.104.0.2"]));
  expect(await answers(100)).toEqual({ "127.104.0.1": 70, "127.104.0.2": 30 });
  expect(await serve(streamTo([1, "127.104.0.1"], [3, "127.104.0.2"]))).toBe(false);
  await until("the new weights", async () => (await answers(20))["127.104.0.1"] === 5);
  expect(await serve(streamTo([1]))).toBe(false);
  await until("none", async () => (await answers(1)).failed === 1);
  expect(await serve(streamTo([1, "127.104.0.2"]))).toBe(false);
  await until("one again", async () => (await answers(1))["127.104.0.2"] === 1);
});

test("streams go on while the controller is away, over a reload too", async (context) => {
  if (!upstreamResolve) context.skip(textOnly);
  const { serve, leave, comeBack, it } = await setUp(18_788);
  it.nginx.expectError(/could not be resolved|Connection refused\) while resolving/);
  await Promise.all(["127.105.0.1", "127.105.0.2", "127.105.0.3"].map(backendOn));
  const two = streamTo([3, "127.105.0.1"], [1, "127.105.0.2"]);
  await serve(two);
  await until("both", oneOfThem(["127.105.0.2"]));
  const shares = { "127.105.0.1": 30, "127.105.0.2": 10 };
  await leave();
  await delay(3_000);
  expect(await answers(40)).toEqual(shares);
  expect(await serve(two, "500s"), "another text is a reload").toBe(true);
  expect(await answers(40)).toEqual(shares);
  await serve(streamTo([1, "127.105.0.3"]), "500s");
  comeBack();
  await until("what has changed meanwhile", async () => (await answers(8))["127.105.0.3"] === 8);
});
