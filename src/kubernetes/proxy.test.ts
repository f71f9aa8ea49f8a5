import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeCertificate } from "../admission/own-certificate.ts";
import { systemClock } from "../timing/clock.ts";
import { findCredentials } from "./credentials.ts";
import { Transport } from "./transport.ts";

let folder: string;
let closing: Server[];
const seen: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-proxy-"));
  closing = [];
  seen.length = 0;
});
afterEach(() => {
  for (const server of closing) server.close();
  rmSync(folder, { recursive: true });
});

const listening = async (server: Server): Promise<number> => {
  closing.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

const joined = (one: Socket, other: Socket) => {
  for (const socket of [one, other]) socket.on("error", () => {});
  one.pipe(other).pipe(one);
};

/** A proxy that answers CONNECT (RFC 9110, 9.3.6). */
const httpProxy = () =>
  createHttpServer().on("connect", ({ url = "" }, socket: Socket) => {
    seen.push(url);
    const [host = "", port] = url.split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      joined(socket, onward);
    });
  });

/** A proxy for SOCKS 5 without a password (RFC 1928), for IPv4 addresses. */
const socksProxy = () =>
  createTcpServer(async (socket) => {
    await once(socket, "data");
    socket.write(Uint8Array.of(5, 0));
    const [request] = (await once(socket, "data")) as [Buffer];
    const [host, port] = [request.subarray(4, 8).join("."), request.readUInt16BE(8)];
    seen.push(`${host}:${port}`);
    const onward = connect(port, host, () => {
      socket.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
      joined(socket, onward);
    });
  });

test.each([
  ["http", httpProxy],
  ["socks5", socksProxy],
])("a proxy of type %s changes neither the server's certificate nor the user's token", async (scheme, proxy) => {
  const { ca, cert, key } = await makeCertificate(["api"], new Date());
  const api = createServer({ cert, key }, ({ headers }, response) => response.end(headers.authorization));
  const [port, proxyPort] = [await listening(api), await listening(proxy())];
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
    "tls-server-name": "api",
    "proxy-url": `${scheme}://127.0.0.1:${proxyPort}`,
  };
  const file = join(folder, "kubeconfig");
  const config = (authority: object) => ({
    clusters: [{ name: "one", cluster: { ...cluster, ...authority } }],
    users: [{ name: "one", user: { token: "secret" } }],
    contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
    "current-context": "one",
  });
  const asked = async (authority: object) => {
    writeFileSync(file, JSON.stringify(config(authority)));
    const transport = new Transport(await findCredentials({ kubeconfig: file, env: {} }), "test", systemClock);
    const signal = new AbortController().signal;
    const answer = await transport.send({ method: "GET", path: "/", headTimeoutMs: 10_000, signal });
    const text = answer.ok ? (await answer.value.body.toArray()).join("") : answer.failure.message;
    transport.close();
    return text;
  };
  expect(await asked({})).toBe("Bearer secret");
  expect(seen).toEqual([`127.0.0.1:${port}`]);
  const { ca: stranger } = await makeCertificate(["api"], new Date());
  expect(await asked({ "certificate-authority-data": Buffer.from(stranger).toString("base64") })).toMatch(
    /certificate|signature/,
  );
});
