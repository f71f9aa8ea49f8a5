/**
 * Frames of HTTP/2 that no client library sends, on a route whose calls are copied when they end:
 * the module that keeps their bodies sees each piece. Run it with modules that are built with
 * AddressSanitizer as well (docs/security.md). Without the module the same frames meet nginx alone.
 */
import { once } from "node:events";
import { createServer } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { certificateFrom } from "../../../src/core/certificates/certificate.ts";
import { unannotated } from "../../../src/core/policies/read.ts";
import { defaultSettings } from "../../../src/core/settings/registry.ts";
import { host, owner, port, prefix, startGateways } from "../../nginx/support/gateways.ts";
import { installedNginx } from "../../nginx/support/installed.ts";
import { until } from "../../nginx/support/until.ts";
import { sharedPki } from "../../support/pki.ts";

const [address, tlsPort] = ["127.0.0.67", 18_996];
const settings = { ...defaultSettings, proxyBodySize: "0" as typeof defaultSettings.proxyBodySize };

/** Answers each call, and returns the messages of calls that have ended. */
async function backendOn(ip: string): Promise<readonly Buffer[]> {
  const messages: Buffer[] = [];
  const server = createServer().listen(9004, ip);
  server
    .on("sessionError", () => {})
    .on("stream", (stream) => {
      const parts: Buffer[] = [];
      stream.on("error", () => {}).on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        if (stream.destroyed) return;
        messages.push(Buffer.concat(parts));
        stream.respond({ "content-type": "application/grpc" }, { waitForTrailers: true });
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
        stream.end("ok");
      });
    });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return messages;
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);

function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
  length = payload.length,
) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const [endStream, endHeaders, padded] = [1, 4, 8];
const block = (headers: readonly (readonly [string, string])[]) =>
  Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0x10]), text(name), text(value)]));
const call = (more: readonly (readonly [string, string])[] = []) =>
  block([
    ...([
      [":method", "POST"],
      [":scheme", "https"],
      [":authority", "calls.example"],
      [":path", "/shop.Items/Get"],
    ] as const),
    ...([
      ["content-type", "application/grpc"],
      ["te", "trailers"],
    ] as const),
    ...more,
  ]);
const begin = (more: readonly (readonly [string, string])[] = []) => frame(1, endHeaders, 1, call(more));
const data = (part: string | Buffer, flags = 0) => frame(0, flags, 1, Buffer.from(part as string));
const many = (count: number, one: Buffer) => Buffer.concat(Array.from({ length: count }, () => one));
const pad = (part: string, length: number, flags = 0) =>
  frame(0, padded | flags, 1, Buffer.concat([Buffer.from([length]), Buffer.from(part), Buffer.alloc(length)]));

/** What a client sends after its settings, and the message that the backend may get for it. */
const attacks: readonly (readonly [string, readonly Buffer[], string | undefined])[] = [
  ["many frames of one byte", [begin(), many(3_000, data("a")), data("", endStream)], "a".repeat(3_000)],
  ["empty frames", [begin(), many(200, data("")), data("end", endStream)], "end"],
  ["padding alone", [begin(), pad("", 255), pad("x", 0), pad("y", 200, endStream)], "xy"],
  ["padding longer than its frame", [begin(), frame(0, padded, 1, Buffer.from([200, 1]))], undefined],
  ["a frame after the end", [begin(), data("a", endStream), data("b", endStream)], undefined],
  ["no end", [begin(), data("a".repeat(9_000))], undefined],
  ["a reset in the middle", [begin(), data("a".repeat(9_000)), frame(3, 0, 1, Buffer.from([0, 0, 0, 8]))], undefined],
  ["trailers", [begin(), data("a"), frame(1, endHeaders | endStream, 1, block([["x-trailer", "1"]]))], undefined],
  [
    "trailers of a pseudo-header",
    [begin(), data("a"), frame(1, endHeaders | endStream, 1, block([[":path", "/admin"]]))],
    undefined,
  ],
  ["less than its length", [begin([["content-length", "9"]]), data("a", endStream)], undefined],
  ["more than its length", [begin([["content-length", "1"]]), data("abc", endStream)], undefined],
  [
    "two lengths",
    [
      begin([
        ["content-length", "1"],
        ["content-length", "3"],
      ]),
      data("abc", endStream),
    ],
    undefined,
  ],
  ["a length without end", [begin([["content-length", "9".repeat(40)]]), data("abc", endStream)], undefined],
  [
    "a window that overflows",
    [begin(), frame(8, 0, 1, Buffer.from([127, 255, 255, 255])), data("a", endStream)],
    undefined,
  ],
  ["a window of nothing", [begin(), frame(8, 0, 1, Buffer.alloc(4)), data("a", endStream)], undefined],
  [
    "headers that go on for ever",
    [frame(1, 0, 1, call()), many(500, frame(9, 0, 1, block([["x-a", "a".repeat(100)]])))],
    undefined,
  ],
  ["a priority on itself", [frame(2, 0, 1, Buffer.from([0, 0, 0, 1, 16])), begin(), data("a", endStream)], undefined],
  ["an even stream", [frame(1, endHeaders | endStream, 2, call())], undefined],
  ["settings of every value", [frame(4, 0, 0, Buffer.alloc(600, 255)), begin(), data("a", endStream)], undefined],
  ["a frame that is larger than permitted", [begin(), frame(0, 0, 1, Buffer.alloc(20_000), 2 ** 24 - 1)], undefined],
  ["unknown frames", [frame(200, 255, 1, Buffer.alloc(100)), begin(), frame(66, 0, 1), data("a", endStream)], "a"],
  ["a body of two megabytes without a window", [begin(), many(128, data(Buffer.alloc(16_384, 97)))], undefined],
  [
    "resets of many calls",
    Array.from({ length: 300 }, (_, at) =>
      Buffer.concat([frame(1, endHeaders, 2 * at + 1, call()), frame(3, 0, 2 * at + 1, Buffer.from([0, 0, 0, 8]))]),
    ),
    undefined,
  ],
];

async function send(frames: readonly Buffer[], isEnough: (bytes: Buffer) => boolean): Promise<void> {
  const socket: TLSSocket = connect({
    host: address,
    port: tlsPort,
    ALPNProtocols: ["h2"],
    rejectUnauthorized: false,
    servername: "calls.example",
  });
  const closed = new Promise<void>((resolve) => socket.on("error", () => {}).on("close", () => resolve()));
  let bytes = Buffer.alloc(0);
  socket.on("data", (part: Buffer) => {
    bytes = Buffer.concat([bytes, part]);
    if (isEnough(bytes)) socket.destroy();
  });
  await Promise.race([once(socket, "secureConnect"), closed]);
  // A PING after the frames is answered when all of them were read.
  const ping = frame(6, 0, 0, Buffer.from("the-end!"));
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0), ...frames, ping]));
  await closed;
}

test("no frame of HTTP/2 ends a worker, and only whole messages reach the backend and its copy", async () => {
  const { keptBody } = await installedNginx();
  const pki = await sharedPki();
  const [calls, copies] = [await backendOn("127.101.0.51"), await backendOn("127.101.0.52")];
  const it = await startGateways(18_991);
  it.nginx.expectError(/./);
  await it.put({
    settings: { proxyBodySize: settings.proxyBodySize },
    ports: [port("s", address, tlsPort, { web: "" }, { tls: true, pairs: ["tls"] })],
    certificates: [certificateFrom("tls", pki.tls.certificate, pki.tls.key)],
    hosts: [
      host("shop/s/web", "calls.example", [
        {
          ...{ features: unannotated(settings), owner: owner("GRPCRoute", "calls"), unusableStatus: 503 },
          to: [{ upstream: "own", protocol: "h2c" }],
          routes: prefix("/shop.Items", { conditions: { method: "POST", headers: [], query: [], call: [] } }),
          ...(keptBody
            ? { filters: { mirrors: [{ upstream: "copies", share: 1, way: { isHttp2: true }, isLate: true }] } }
            : {}),
        },
      ]),
    ],
    upstreams: { own: ["127.101.0.51:9004"], copies: ["127.101.0.52:9004"] },
  });
  const honest = [begin(), data("honest", endStream)];
  const hasGot = (message: string, from: number) => calls.slice(from).some((one) => String(one) === message);
  for (const [name, frames, message] of attacks) {
    const before = calls.length;
    const isRead = (bytes: Buffer) => bytes.includes("the-end!");
    await send(frames, (bytes) => isRead(bytes) && (message === undefined || hasGot(message, before)));
    if (message !== undefined) expect([name, hasGot(message, before)]).toEqual([name, true]);
    const count = calls.length;
    await send(honest, () => hasGot("honest", count));
    expect([name, hasGot("honest", count)]).toEqual([name, true]);
  }
  if (keptBody) await until("an honest call was copied", () => copies.some((one) => String(one) === "honest"));
  const sent = new Set(calls.map(String));
  expect(copies.map(String).filter((one) => !sent.has(one))).toEqual([]);
});
