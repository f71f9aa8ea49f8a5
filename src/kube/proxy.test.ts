import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { httpProxy, socksProxy } from "../../test/support/proxies.ts";
import { systemClock } from "../base/timing/clock.ts";
import { makeCertificate } from "../edges/admission/own-certificate.ts";
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

test.each([
  ["http", httpProxy],
  ["socks5", socksProxy],
])("a proxy of type %s changes neither the server's certificate nor the user's token", async (scheme, proxy) => {
  const { ca, cert, key } = await makeCertificate(["api"], new Date());
  const api = createServer({ cert, key }, ({ headers }, response) => response.end(headers.authorization));
  const [port, proxyPort] = [await listening(api), await listening(proxy(seen))];
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
