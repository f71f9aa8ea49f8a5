/**
 * Packets to the UDP ports on which the controller answers nginx's DNS queries, from a foreign
 * socket on this machine: no packet ends the controller, changes what nginx gets, or gets an answer
 * that is many times as long.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { answerStreamEndpoints } from "../../../src/edges/names/stream-endpoints.ts";
import { until } from "../../nginx/support/until.ts";
import { startNameserver } from "../../support/nameserver.ts";
import { ingress } from "../support/objects.ts";
import { places } from "../support/where.ts";

const [namesPort, streamPort] = [10_299, 10_298];

function question(name: string, type: number, more = Buffer.alloc(0)): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1"));
  const head = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1]), more]);
}

const srv = 33;
const odd: readonly Buffer[] = [
  ...[Buffer.alloc(0), Buffer.alloc(1), Buffer.alloc(12), Buffer.alloc(60_000), Buffer.alloc(60_000, 0xff)],
  // A name without an end, one that points to itself, and one with labels that are too long.
  Buffer.concat([question("a", 1).subarray(0, 12), Buffer.alloc(500, 63)]),
  Buffer.concat([question("a", 1).subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
  Buffer.concat([question("a", 1).subarray(0, 12), Buffer.from([64, 1, 2, 0, 1, 0, 1])]),
  ...[1, 28, srv, 255, 252, 0].flatMap((type) =>
    [
      ...["__proto__", "constructor.db", "_sluice._tcp.__proto__", "_sluice._tcp.none", "\0.\xff", "a".repeat(63)],
      ...["_other._tcp.db", "db", "p5432w1n0.none", Array.from({ length: 100 }, () => "a").join(".")],
    ].map((name) => question(name, type)),
  ),
  question("_sluice._tcp.db", srv, Buffer.alloc(9_000, 1)),
  // An answer in place of a question, and two questions.
  Buffer.from(question("a.test", 1)).fill(0x81, 2, 3),
  Buffer.from(question("a.test", 1)).fill(2, 5, 6),
];

/** Sends all of them, and some from port 0, to which no answer can be sent. */
async function barrage(port: number): Promise<readonly Buffer[]> {
  const socket = createSocket("udp4");
  const answers: Buffer[] = [];
  socket.on("message", (message) => answers.push(message));
  for (const packet of odd)
    await new Promise<void>((resolve, reject) =>
      socket.send(packet, port, "127.0.0.1", (error) => (error ? reject(error) : resolve())),
    );
  for (const packet of [question("a.test", 1), question("_sluice._tcp.db", srv)])
    await execa("perl", ["-e", fromPortZero, String(port), packet.toString("hex")]);
  socket.close();
  return answers;
}

const fromPortZero = `
  use Socket;
  my ($port, $hex) = @ARGV;
  my $body = pack("H*", $hex);
  socket(my $raw, PF_INET, SOCK_RAW, 17) or die $!;
  my $packet = pack("nnnn", 0, $port, 8 + length $body, 0) . $body;
  send($raw, $packet, 0, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) or die $!;
`;

/** Returns the answer to a valid question, which is repeated as nginx repeats it. */
async function answerTo(packet: Buffer, port: number): Promise<Buffer> {
  const socket = createSocket("udp4");
  const ask = () => socket.send(packet, port, "127.0.0.1");
  const again = setInterval(ask, 500);
  onTestFinished(() => {
    clearInterval(again);
    socket.close();
  });
  const answered = once(socket, "message");
  ask();
  return (await answered)[0];
}

const recordsIn = (answer: Buffer): number => answer.readUInt16BE(6);

test("the port of streams still answers nginx after hostile packets, and they change no pool", async () => {
  const record = JSON.stringify([["192.0.2.1", 5432, 1]]);
  const recordOf = async (pool: string) => (pool === "db" ? record : undefined);
  const answers = answerStreamEndpoints({ port: streamPort, service: "sluice", recordOf, report: () => {} });
  onTestFinished(() => answers.end());
  const servers = () => answerTo(question("_sluice._tcp.db", srv), streamPort);
  expect(recordsIn(await servers())).toBe(1);
  await barrage(streamPort);
  // nginx queries the addresses of a server that it got before the others arrived.
  expect(recordsIn(await answerTo(question("p5432w1n0.db", 1), streamPort))).toBe(1);
  expect(recordsIn(await servers())).toBe(1);
});

describe.each(Object.entries(places))("the port of names, %s", (_where, start) => {
  test("still answers nginx after hostile packets, with at most 512 bytes", async () => {
    const names = await startNameserver("192.0.2.53");
    onTestFinished(() => names.stop());
    const place = await start({ flags: [`--name-check-port=${namesPort}`], nameservers: ["192.0.2.53"] });
    onTestFinished(() => place.end());
    const { world } = place;
    names.addresses.set("auth.test", [world.auth.address]);
    names.addresses.set("late.test", [world.auth.address]);
    const asking = (name: string, whom: string) =>
      ingress({ name, annotations: { "auth-url": `http://${whom}:${world.auth.port}/check` } });
    await world.apply(asking("before", "auth.test"), asking("after", "late.test"));
    expect((await world.ask("before.example")).body).toBe("secret");
    const answers = await barrage(namesPort);
    for (const answer of answers) expect(answer.length).toBeLessThanOrEqual(512);
    await until(
      "a name that nginx has not asked for",
      async () => (await world.ask("after.example")).body === "secret",
    );
    expect(world.problemsOf("after")).toEqual([]);
  });
});
