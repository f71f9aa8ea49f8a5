/**
 * Sends questions to the resolver as nginx does. A tenant may control the nameservers behind it, so
 * their answers may have any content.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { strictPolicy } from "../../core/kinds/asked.ts";
import { answerCheckedNames, type CheckedNameEvent } from "./checked-names.ts";
import type { FamilyLookup } from "./lookup.ts";

async function setUp(lookup: FamilyLookup) {
  const events: CheckedNameEvent[] = [];
  const free = createSocket("udp4").bind(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address();
  free.close();
  await once(free, "close");
  const end = answerCheckedNames({ port, policy: strictPolicy, lookup, report: (event) => events.push(event) });
  const client = createSocket("udp4").bind(0, "127.0.0.1");
  await once(client, "listening");
  onTestFinished(async () => {
    client.close();
    await end();
  });
  const answers = new Map<number, { readonly code: number; readonly addresses: number; readonly ttl: number }>();
  client.on("message", (message) => {
    const addresses = message.readUInt16BE(6);
    const ttl = addresses === 0 ? 0 : message.readUInt32BE(message.length - 10);
    answers.set(message.readUInt16BE(0), { code: message[3]! & 15, addresses, ttl });
  });
  const ask = (id: number, name: string) =>
    client.send(question(id, `${name}.80.t.sluice.internal`), port, "127.0.0.1");
  return { ask, answers, events };
}

function question(id: number, name: string): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(1, 4);
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, 1, 0, 1])]);
}

test("an answer with an endless time to live, or one that cannot be written, ends nothing", async () => {
  const { ask, answers } = await setUp(async (name) => ({
    kind: "found",
    addresses: name === "odd.example" ? ["192.0.2.999"] : ["192.0.2.7"],
    ttlMs: name === "ever.example" ? Number.POSITIVE_INFINITY : name === "before.example" ? -5_000 : 4_294_967_295_000,
  }));
  for (const [id, name] of ["ever", "before", "odd", "old"].entries()) ask(id, `${name}.example`);
  await expect.poll(() => answers.size).toBe(4);
  const good = { code: 0, addresses: 1, ttl: 3_600 };
  expect([0, 1, 2, 3].map((id) => answers.get(id))).toEqual([
    good,
    { ...good, ttl: 0 },
    { code: 5, addresses: 0, ttl: 0 },
    good,
  ]);
});

test("names of a zone whose nameserver is silent leave room for others", { timeout: 120_000 }, async () => {
  let slow = 0;
  const { ask, answers } = await setUp(async (name) => {
    if (name.endsWith(".slow.example")) {
      slow += 1;
      await new Promise(() => {});
    }
    return { kind: "found", addresses: ["192.0.2.7"], ttlMs: 1_000 };
  });
  // A socket's buffer has room for some hundred questions. So after every few questions the test
  // waits for an answer, which shows that the earlier ones were read.
  for (let few = 0; few < 30; few++) {
    for (let at = 0; at < 50; at++) ask(10_000 + 50 * few + at, `n${few}-${at}.slow.example`);
    await expect
      .poll(
        () => {
          ask(few, "auth.test");
          return answers.has(few);
        },
        { timeout: 60_000 },
      )
      .toBe(true);
  }
  expect(slow).toBe(100);
});

test("a name that resolves to this machine is logged once for each reason", async () => {
  const { ask, answers, events } = await setUp(async () => ({ kind: "found", addresses: ["127.0.0.1"], ttlMs: 1_000 }));
  for (const id of [1, 2]) ask(id, "home.test");
  await expect.poll(() => answers.size).toBe(2);
  expect(answers.get(1)?.code).toBe(5);
  expect(events).toHaveLength(1);
});
