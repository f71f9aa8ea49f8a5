/**
 * Tests the lookup with a nameserver of its own, which answers from a table and records the
 * questions.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { dnsLookup, familyLookup } from "./lookup.ts";

type Answer =
  | { readonly addresses: readonly string[]; readonly ttl: number }
  | "no such name"
  | "broken"
  /** An alias for another name, without an address. */
  | "alias";
const types = { 1: "A", 28: "AAAA" } as Readonly<Record<number, string>>;

/** `answers` are keyed by `TYPE name`. A name that is not listed has no address of that type. */
async function setUp(answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = [];
  const server = createSocket("udp4");
  server.on("message", (message, { port, address }) => {
    const { question, end } = questionOf(message);
    asked.push(question);
    server.send(replyTo(message.subarray(0, end), answers[question]), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const conf = { nameservers: ["127.0.0.1"], search: ["shop.svc.cluster.local", "cluster.local"], ndots: 2 };
  const { port } = server.address();
  return { asked, port, lookup: dnsLookup(conf, port) };
}

function questionOf(message: Buffer): { question: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { question: `${types[message.readUInt16BE(at + 1)]} ${labels.join(".").toLowerCase()}`, end: at + 5 };
}

function replyTo(asked: Buffer, answer: Answer | undefined): Buffer {
  const code = answer === "no such name" ? 3 : answer === "broken" ? 2 : 0;
  const { addresses, ttl } = typeof answer === "object" ? answer : { addresses: [], ttl: 0 };
  const reply = Buffer.from(asked);
  const alias = answer === "alias" ? [Buffer.from("c00c00050001000000050003016200", "hex")] : [];
  reply.writeUInt16BE(0x8180 | code, 2);
  reply.writeUInt16BE(addresses.length + alias.length, 6);
  reply.writeUInt16BE(0, 10);
  return Buffer.concat([reply, ...alias, ...addresses.map((address) => recordOf(address, ttl))]);
}

function recordOf(address: string, ttl: number): Buffer {
  const data = address.includes(":")
    ? Buffer.from(
        address
          .split(":")
          .map((part) => part.padStart(4, "0"))
          .join(""),
        "hex",
      )
    : Buffer.from(address.split(".").map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(data.length === 4 ? 1 : 28, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

test("IPv4 addresses are sorted, and have the shortest time to live", async () => {
  const { lookup, asked } = await setUp({ "A far.example.com": { addresses: ["192.0.2.9", "192.0.2.7"], ttl: 30 } });
  expect(await lookup("far.example.com")).toEqual({
    kind: "found",
    addresses: ["192.0.2.7", "192.0.2.9"],
    ttlMs: 30_000,
  });
  expect(asked).toEqual(["A far.example.com"]);
});

test("IPv6 is used where a name has no IPv4, and search domains are tried in order", async () => {
  const { lookup, asked } = await setUp({
    "A db.shop.svc.cluster.local": "no such name",
    "AAAA db.shop.svc.cluster.local": "no such name",
    "AAAA db.cluster.local": { addresses: ["2001:0db8:0:0:0:0:0:7"], ttl: 5 },
  });
  expect(await lookup("db")).toEqual({ kind: "found", addresses: ["2001:db8::7"], ttlMs: 5_000 });
  expect(asked).toEqual([
    "A db.shop.svc.cluster.local",
    "AAAA db.shop.svc.cluster.local",
    "A db.cluster.local",
    "AAAA db.cluster.local",
  ]);
});

test("an unknown name certainly has no addresses, and a nameserver's failure leaves that open", async () => {
  const { lookup } = await setUp({
    ...Object.fromEntries(["A", "AAAA"].map((type) => [`${type} gone.example.com`, "no such name" as const])),
    "A odd.example.com": "broken",
  });
  expect(await lookup("gone.example.com.")).toMatchObject({ kind: "found", addresses: [] });
  expect(await lookup("odd.example.com.")).toMatchObject({ kind: "failed" });
});

test("an alias of a name without an address counts as a name without one for a while", async () => {
  const { port } = await setUp({ "A away.example.com": "alias", "AAAA away.example.com": "alias" });
  const lookup = familyLookup(["127.0.0.1"], port);
  for (const family of [4, 6] as const)
    expect(await lookup("away.example.com", family)).toEqual({ kind: "found", addresses: [], ttlMs: 5_000 });
});
