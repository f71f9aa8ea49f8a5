/**
 * Tests endpoints of streams that change while connections are open. An nginx that can resolve
 * endpoints by DNS (`upstreamResolve`) is not reloaded for a change, and keeps the last endpoints
 * while the controller is away. Any other nginx is reloaded for each change.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import type { StreamServer } from "../../src/core/model/configuration.ts";
import { streamKey } from "../../src/core/model/records.ts";
import { poolRecords, streamService } from "../../src/core/render/streams/pools.ts";
import type { Settings } from "../../src/core/settings/registry.ts";
import { answerStreamEndpoints, type StreamEndpoints } from "../../src/edges/names/stream-endpoints.ts";
import { configurationOf, startGateways } from "./support/gateways.ts";
import { installedNginx } from "./support/installed.ts";
import { until } from "./support/until.ts";

const { upstreamResolve } = await installedNginx();
const [listenPort, backendPort] = [18_799, 9_400];

/**
 * Starts a backend that sends its address to each client and keeps the connection. Returns the
 * address.
 */
async function backendOn(address: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.write(`${address}\n`);
  });
  server.listen(backendPort, address);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return address;
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
        return { weight, service: "", endpoints: addresses.map((address) => ({ address, port: backendPort })) };
      }),
    },
  ],
});

/** Connects; resolves with the address of the backend that answered, or with `failed`. */
function ask(): Promise<{ readonly by: string; readonly socket: Socket }> {
  const socket = connect(listenPort, "127.0.0.1");
  const received = new Promise<string>((resolve) => {
    socket.once("data", (data) => resolve(String(data).trim()));
    socket.once("close", () => resolve("failed")).on("error", () => {});
  });
  onTestFinished(() => void socket.destroy());
  return received.then((by) => ({ by, socket }));
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
  let answers: StreamEndpoints | undefined;
  // The DNS server ends after nginx, which would otherwise log queries without an answer.
  onTestFinished(() => answers?.end());
  const it = await startGateways(base);
  const plain = configurationOf({ ports: [], hosts: [] }, await fakeCertificate(new Date()));
  const open = () => {
    const recordOf = async (pool: string) => it.records.get(streamKey(pool));
    answers = answerStreamEndpoints({ port: 10_247, service: streamService(it.machine), recordOf, report: () => {} });
  };
  open();
  return {
    it,
    /** Stops the controller's DNS server, and starts it again. */
    leave: async () => answers?.end(),
    comeBack: open,
    /** Resolves when nginx has the wanted endpoints. */
    taken: (stream: StreamServer) => (upstreamResolve ? answers!.taken(poolRecords([stream])) : Promise.resolve()),
    serve: (stream: StreamServer, settings: Partial<Settings> = {}) =>
      it.serve({ ...plain, streams: [stream], settings: { ...plain.settings, ...settings } }),
  };
}

test("a rollout of 100 endpoints ends no connection, and no removed endpoint gets one", async () => {
  const { serve, taken } = await setUp(18_780);
  const numbers = Array.from({ length: 100 }, (_, at) => at + 1);
  const before = await Promise.all(numbers.map((n) => backendOn(`127.103.0.${n}`)));
  const after = await Promise.all(numbers.map((n) => backendOn(`127.103.1.${n}`)));
  const first = streamTo([1, ...before]);
  await serve(first);
  await taken(first);
  const held = await Promise.all(numbers.map(() => ask()));
  const closed: Socket[] = [];
  for (const { socket } of held) socket.once("close", () => closed.push(socket));
  /** Counts connections to endpoints that nginx no longer has. */
  const gone = new Set<string>();
  const astray: string[] = [];
  const failed: string[] = [];
  let reloads = 0;
  let isOver = false;
  const traffic = (async () => {
    while (!isOver) {
      const goneBefore = new Set(gone);
      const { by, socket } = await ask();
      socket.destroy();
      if (by === "failed") failed.push(by);
      else if (goneBefore.has(by)) astray.push(by);
    }
  })();
  let last = first;
  for (let batch = 0; batch < 20; batch++) {
    const moved = 5 * (batch + 1);
    last = streamTo([1, ...before.slice(moved), ...after.slice(0, moved)]);
    if (await serve(last)) reloads++;
    void taken(last).then(() => {
      for (const address of before.slice(0, moved)) gone.add(address);
    });
    await delay(100);
  }
  await taken(last);
  await until("the last endpoints", () => gone.size === 100);
  isOver = true;
  await traffic;
  const seen = Object.keys(await answers(200));
  expect(seen.filter((address) => !after.includes(address))).toEqual([]);
  expect([failed, closed, astray]).toEqual([[], [], []]);
  expect(reloads).toBe(upstreamResolve ? 0 : 20);
});

const textOnly = "endpoints of streams are text before nginx 1.27.3";

/** No server listens on two of the three addresses. */
test.each([
  ["further endpoints are asked, as often as the default says", {}, 0],
  ["no further endpoint is asked without it", { proxyStreamNextUpstream: false }, 2],
  ["one try is the first endpoint alone", { proxyStreamNextUpstreamTries: 1 }, 2],
  ["no limit of tries is all endpoints", { proxyStreamNextUpstreamTries: 0 }, 0],
] as const)("proxy-stream-next-upstream has its effect at a route: %s", async (_what, settings, failures) => {
  const { it, serve, taken } = await setUp(18_800);
  it.nginx.expectError(/Connection refused\) while connecting to upstream/);
  const alive = await backendOn("127.106.0.3");
  const three = streamTo([1, "127.106.0.1", "127.106.0.2", alive]);
  await serve(three, settings as unknown as Partial<Settings>);
  await taken(three);
  // nginx does not use an endpoint for ten seconds after it refused a connection; if endpoints
  // are text, each worker decides that by itself.
  const found = await answers(30);
  if (failures === 0) expect(found).toEqual({ [alive]: 30 });
  else expect(found.failed).toBeGreaterThanOrEqual(failures);
});

test("weights change without a reload, and a pool without endpoints refuses connections", async (context) => {
  if (!upstreamResolve) context.skip(textOnly);
  const { it, serve, taken } = await setUp(18_784);
  it.nginx.expectError(/connect\(\) failed \(111: Connection refused\).*upstream: "127\.0\.0\.1:0"/);
  await Promise.all(["127.104.0.1", "127.104.0.2"].map(backendOn));
  const both = streamTo([7, "127.104.0.1"], [3, "127.104.0.2"]);
  await serve(both);
  await taken(both);
  expect(await answers(100)).toEqual({ "127.104.0.1": 70, "127.104.0.2": 30 });
  expect(await serve(streamTo([1, "127.104.0.1"], [3, "127.104.0.2"]))).toBe(false);
  await until("the new weights", async () => (await answers(20))["127.104.0.1"] === 5);
  expect(await serve(streamTo([1]))).toBe(false);
  await until("none", async () => (await answers(1)).failed === 1);
  expect(await serve(streamTo([1, "127.104.0.2"]))).toBe(false);
  await until("one again", async () => (await answers(1))["127.104.0.2"] === 1);
});

test("streams continue while the controller is away, also over a reload", async (context) => {
  if (!upstreamResolve) context.skip(textOnly);
  const { it, serve, taken, leave, comeBack } = await setUp(18_788);
  it.nginx.expectError(/could not be resolved|Connection refused\) while resolving/);
  await Promise.all(["127.105.0.1", "127.105.0.2", "127.105.0.3"].map(backendOn));
  const two = streamTo([3, "127.105.0.1"], [1, "127.105.0.2"]);
  await serve(two);
  await taken(two);
  const shares = { "127.105.0.1": 30, "127.105.0.2": 10 };
  const otherText = { proxyStreamTimeout: "500s" } as unknown as Partial<Settings>;
  await leave();
  await delay(3_000);
  expect(await answers(40)).toEqual(shares);
  expect(await serve(two, otherText), "another text is a reload").toBe(true);
  expect(await answers(40)).toEqual(shares);
  await serve(streamTo([1, "127.105.0.3"]), otherText);
  comeBack();
  await until("what has changed meanwhile", async () => (await answers(8))["127.105.0.3"] === 8);
});
