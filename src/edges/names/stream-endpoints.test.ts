/** Requests the endpoints of streams as nginx does. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { StreamEndpoint } from "../../core/model/records.ts";
import { answerStreamEndpoints, mostEndpoints } from "./stream-endpoints.ts";

const types = { A: 1, AAAA: 28, SRV: 33 } as const;
type Type = keyof typeof types;

interface Answer {
  /** 0 for an answer without an error. */
  readonly code: number;
  readonly bytes: number;
  /** The data of each record. */
  readonly data: readonly Buffer[];
}

/** Starts the server with these endpoints for each pool. The test may change them. */
async function setUp(pools: Record<string, readonly StreamEndpoint[]>) {
  const free = createSocket("udp4").bind(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address();
  free.close();
  await once(free, "close");
  const recordOf = async (pool: string) => pools[pool] && JSON.stringify(pools[pool]);
  const answers = answerStreamEndpoints({ port, service: "sluice", recordOf, report: () => {} });
  onTestFinished(() => answers.end());
  const ask = async (name: string, type: Type): Promise<Answer> => {
    const client = createSocket("udp4");
    client.send(question(name, type), port, "127.0.0.1");
    const [message] = (await once(client, "message")) as [Buffer];
    client.close();
    return read(message);
  };
  return Object.assign(ask, { taken: answers.taken });
}

function question(name: string, type: Type): Buffer {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([
    Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ...labels,
    Buffer.from([0, 0, types[type], 0, 1]),
  ]);
}

function read(message: Buffer): Answer {
  let at = message.indexOf(0, 12) + 5;
  const data: Buffer[] = [];
  for (let left = message.readUInt16BE(6); left > 0; left--) {
    const length = message.readUInt16BE(at + 10);
    data.push(message.subarray(at + 12, at + 12 + length));
    at += 12 + length;
  }
  expect(at).toBe(message.length);
  return { code: message[3]! & 15, bytes: message.length, data };
}

/** Reads weight, port and target of a server. */
function serverIn(data: Buffer) {
  const labels: string[] = [];
  for (let at = 6; data[at]! > 0; at += 1 + data[at]!) labels.push(data.toString("latin1", at + 1, at + 1 + data[at]!));
  return { weight: data.readUInt16BE(2), port: data.readUInt16BE(4), target: labels.join(".") };
}

const service = (pool: string) => `_sluice._tcp.${pool}`;

test("a pool has a server for each port and weight, with addresses of both families", async () => {
  const ask = await setUp({
    db: [
      ["192.0.2.1", 5432, 7],
      ["192.0.2.2", 5432, 7],
      ["2001:db8::1", 5432, 7],
      ["192.0.2.3", 5433, 65_535],
    ],
  });
  const { code, data } = await ask(service("db"), "SRV");
  const [first, second, ...more] = data.map(serverIn);
  expect([code, first?.weight, first?.port, second?.weight, second?.port]).toEqual([0, 7, 5432, 65_535, 5433]);
  expect(more).toEqual([]);
  expect((await ask(first!.target, "A")).data.map((one) => [...one].join("."))).toEqual(["192.0.2.1", "192.0.2.2"]);
  expect((await ask(first!.target, "AAAA")).data.map((one) => one.toString("hex"))).toEqual([
    "20010db8000000000000000000000001",
  ]);
  expect((await ask(second!.target, "A")).data.map((one) => [...one].join("."))).toEqual(["192.0.2.3"]);
});

test("an unknown pool gets no answer, so that nginx keeps its endpoints", async () => {
  const ask = await setUp({ db: [["192.0.2.1", 5432, 1]] });
  const failed = { code: 2, data: [] };
  expect(await ask(service("other"), "SRV")).toMatchObject(failed);
  expect(await ask("_other._tcp.db", "SRV")).toMatchObject(failed);
  expect(await ask("p5432w1n0.db", "A"), "before its servers were asked for").toMatchObject(failed);
});

test("a server keeps its name and addresses until nginx requests the servers again", async () => {
  const pools: Record<string, readonly StreamEndpoint[]> = { db: [["192.0.2.1", 5432, 1]] };
  const ask = await setUp(pools);
  const target = serverIn((await ask(service("db"), "SRV")).data[0]!).target;
  pools.db = [["192.0.2.9", 5432, 1]];
  expect([...(await ask(target, "A")).data[0]!].at(-1)).toBe(1);
  expect(serverIn((await ask(service("db"), "SRV")).data[0]!).target).toBe(target);
  expect([...(await ask(target, "A")).data[0]!].at(-1)).toBe(9);
});

test("nginx can read every answer, and gets the largest permitted number of endpoints", async () => {
  const pool = "gateway_0123456789abcdef";
  const address = (at: number) => `2001:db8::${at.toString(16)}`;
  const all = Array.from({ length: mostEndpoints + 1 }, (_, at): StreamEndpoint => [address(at), 65_535, 65_535]);
  const ask = await setUp({ [pool]: all });
  const { data, bytes } = await ask(service(pool), "SRV");
  expect(bytes).toBeLessThanOrEqual(4_096);
  let count = 0;
  for (const { target } of data.map(serverIn)) {
    const addresses = await ask(target, "AAAA");
    expect(addresses.bytes).toBeLessThanOrEqual(4_096);
    count += addresses.data.length;
  }
  expect(count).toBe(mostEndpoints);
});

test("new endpoints count when nginx requests the servers again, after it has all addresses", async () => {
  const pools: Record<string, readonly StreamEndpoint[]> = {
    db: [
      ["192.0.2.1", 5432, 1],
      ["192.0.2.2", 5433, 1],
    ],
  };
  const ask = await setUp(pools);
  const seen: string[] = [];
  const wait = (called: string) => {
    const records = new Map(Object.entries(pools).map(([pool, endpoints]) => [pool, JSON.stringify(endpoints)]));
    return ask.taken(records).then(() => seen.push(called));
  };
  const servers = async () => (await ask(service("db"), "SRV")).data.map((one) => serverIn(one).target);
  const first = wait("first");
  const [one, other] = await servers();
  await ask(one!, "A");
  await servers();
  await ask(one!, "A");
  await ask(other!, "A");
  expect(seen, "not all addresses, then no further question").toEqual([]);
  await servers();
  await first;
  await wait("again");
  expect(seen).toEqual(["first", "again"]);
  pools.db = [["192.0.2.3", 5432, 1]];
  const changed = wait("changed");
  await ask(one!, "A");
  await ask(other!, "A");
  const [third] = await servers();
  expect(seen, "these are the endpoints of before").toHaveLength(2);
  await ask(third!, "A");
  await servers();
  await changed;
});
