/** Backends over TLS with a BackendTLSPolicy, and the certificate that a Gateway shows them. */
import { once } from "node:events";
import { createSecureServer, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import type { BackendTls } from "../../src/core/model/backend-tls.ts";
import { SecretText } from "../../src/core/model/configuration.ts";
import type { CopyWay, Mirror } from "../../src/core/model/filters.ts";
import { withId } from "../../src/core/sources/gateway/backend-tls/policy.ts";
import { sharedPki } from "../support/pki.ts";
import { host, port, prefix, type Seen, startGateways } from "./support/gateways.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

interface Asked {
  readonly sni: string | false | null;
  readonly host: string | undefined;
  readonly client: string | undefined;
  readonly http: string;
  readonly connection: number;
  readonly request: string;
}

/**
 * Presents the certificate of backend.example, and requests one of the client without requiring it.
 */
async function tlsBackend(address: string): Promise<{ asked: Asked[]; connections: () => number; port: number }> {
  const { backend, ca } = await sharedPki();
  const asked: Asked[] = [];
  const connections = new WeakMap<object, number>();
  let count = 0;
  const more = { requestCert: true, rejectUnauthorized: false, allowHTTP1: true };
  const server = createSecureServer(
    { cert: backend.certificate, key: backend.key, ca: ca.certificate, ...more },
    async (from, answer) => {
      const socket = (from.httpVersionMajor === 2 ? from.stream.session!.socket : from.socket) as TLSSocket & {
        readonly servername: string | false | null;
      };
      const one = {
        sni: socket.servername,
        host: from.headers.host ?? (from.headers[":authority"] as string | undefined),
        client: socket.getPeerCertificate()?.subject?.CN as string | undefined,
        http: from.httpVersion,
        connection: connections.get(socket) ?? 0,
        request: `${from.method} ${from.url} ${await text(from)}`,
      };
      asked.push(one);
      answer.end(JSON.stringify(one));
    },
  );
  server.on("secureConnection", (socket) => connections.set(socket, ++count));
  server.listen(0, address);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { asked, connections: () => count, port: (server.address() as AddressInfo).port };
}

/** Notes requests over HTTP/2 without TLS, with a header of the client and one of nginx itself. */
async function plainHttp2(address: string, port: number): Promise<object[]> {
  const asked: object[] = [];
  const server = createServer(async (from, answer) => {
    const { "x-own": own, "x-sluice-copy": inner } = from.headers;
    asked.push({ request: `${from.method} ${from.url} ${await text(from)}`, own, inner });
    answer.end();
  });
  server.listen(port, address);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return asked;
}

test("a backend gets requests over TLS only if its certificate is trusted and has the name, and sees the Gateway's own", async () => {
  const { ca, otherca, client } = await sharedPki();
  const it = await startGateways(18_760);
  it.nginx.expectError(
    /upstream SSL certificate|SSL_do_handshake\(\) failed|prematurely closed connection.*GET \/plain/,
  );
  const backend = await tlsBackend("127.101.0.8");
  const trusts = (text: string, hostname: string, more: Partial<BackendTls> = {}) =>
    withId({ authorities: { kind: "pem", text }, hostname, names: [], ...more });
  const right = trusts(ca.certificate, "backend.example");
  const identity = { chain: client.certificate, key: new SecretText(client.key) };
  const rule = (path: string, tls: BackendTls, more: object = {}) => ({
    to: [{ upstream: "secure", tls, ...more }],
    routes: prefix(path),
  });
  const parts = {
    ports: [port("a", "127.0.0.61", 18_770, { web: "" })],
    endpoints: { secure: { address: "127.101.0.8", port: backend.port } },
    hosts: [
      host("shop/a/web", "_", [
        rule("/right", right),
        rule("/name", trusts(ca.certificate, "other.example")),
        rule("/authority", trusts(otherca.certificate, "backend.example")),
        rule("/both", trusts(ca.certificate + otherca.certificate, "backend.example")),
        rule("/shown", trusts(ca.certificate, "backend.example", { identity })),
        rule("/http2", right, { protocol: "h2c" }),
        { to: [{ upstream: "secure" }], routes: prefix("/plain") },
      ]),
    ],
  };
  expect(await it.put(parts)).toBe(true);
  const ask = (path: string) => request({ to: "127.0.0.61:18770", host: "www.shop.example", path });
  const body = async (path: string) => JSON.parse((await ask(path)).body) as Asked;

  const first = await body("/right");
  expect(first).toMatchObject({ sni: "backend.example", host: "www.shop.example", http: "1.1" });
  expect(first.client, "no certificate of a client").toBeUndefined();
  const before = backend.asked.length;
  expect((await ask("/name")).status, "a certificate without the name").toBe(502);
  expect((await ask("/authority")).status, "a certificate of strangers, beside a kept connection").toBe(502);
  expect((await ask("/plain")).status, "the port takes nothing but TLS").not.toBe(200);
  expect(backend.asked.length, "none of these was sent").toBe(before);
  expect((await ask("/both")).status).toBe(200);
  const shown = await body("/shown");
  expect(shown.client).toBe("client one");
  expect(shown.connection, "a connection of its own").not.toBe(first.connection);
  expect((await body("/right")).client, "nor a kept connection that has shown one").toBeUndefined();
  expect(await body("/http2")).toMatchObject({ http: "2.0", sni: "backend.example" });

  const moved = parts.hosts.map((one) => ({ ...one, name: "new.example" }));
  expect(await it.put({ ...parts, hosts: [...parts.hosts, ...moved] }), "equal settings are one text").toBe(false);
});

test("copies use the protocol of their Service, and none go to a backend that fails verification", async () => {
  const { ca, client } = await sharedPki();
  const it = await startGateways(18_760);
  it.nginx.expectError(/upstream SSL certificate does not match/);
  const backend = await tlsBackend("127.101.0.8");
  const trusts = (hostname: string, more: Partial<BackendTls> = {}) =>
    withId({ authorities: { kind: "pem", text: ca.certificate }, hostname, names: [], ...more });
  const identity = { chain: client.certificate, key: new SecretText(client.key) };
  const secure = (way: Omit<CopyWay, "isSecure"> = {}) => ({
    upstream: "secure",
    share: 1,
    way: { isSecure: true, ...way } as const,
  });
  const rule = (path: string, ...mirrors: readonly Mirror[]) => ({
    to: [{ upstream: "b1" }],
    routes: prefix(path),
    filters: { mirrors },
  });
  const port80 = port("a", "127.0.0.61", 18_770, { web: "" });
  await it.put({
    ports: [port80],
    endpoints: { secure: { address: "127.101.0.8", port: backend.port } },
    hosts: [
      host("shop/a/web", "_", [
        rule("/unchecked", secure()),
        rule("/checked", secure({ tls: trusts("backend.example") })),
        rule("/shown", secure({ tls: trusts("backend.example", { identity }) })),
        rule("/http2", secure({ isHttp2: true, tls: trusts("backend.example") })),
        rule("/plain2", { upstream: "h2", share: 1, way: { isHttp2: true } }),
        rule("/stranger", secure({ tls: trusts("other.example") })),
        rule("/several", { upstream: "b2", share: 1 }, secure({ tls: trusts("backend.example") }), secure()),
      ]),
    ],
  });
  const send = async (path: string) => {
    const body = `${path} body`;
    const headers = { "X-Sluice-Copy": "b3", "X-Own": "kept" };
    const to = "127.0.0.61:18770";
    const answer = await request({ to, host: "www.shop.example", path: `${path}?a=b`, method: "POST", body, headers });
    expect(answer.status, path).toBe(200);
    return `POST ${path}?a=b ${body}`;
  };
  const copied = async (path: string) => {
    const wanted = await send(path);
    await until(`the copy of ${path} came`, () => backend.asked.some((one) => one.request === wanted));
    return backend.asked.find((one) => one.request === wanted)!;
  };
  const host80 = "www.shop.example";
  expect(await copied("/unchecked")).toMatchObject({ host: host80, http: "1.1", client: undefined });
  expect(await copied("/checked")).toMatchObject({ host: host80, http: "1.1", sni: "backend.example" });
  expect(await copied("/shown")).toMatchObject({ sni: "backend.example", client: "client one" });
  expect(await copied("/http2")).toMatchObject({ host: host80, http: "2.0", sni: "backend.example" });

  const plain = await plainHttp2("127.101.0.7", 9001);
  const wanted = await send("/plain2");
  await until("the copy over HTTP/2 without TLS came", () => plain.length === 1);
  expect(plain).toEqual([{ request: wanted, own: "kept", inner: undefined }]);

  const stranger = await send("/stranger");
  await until("the stranger was found out", () => it.nginx.errors().some((line) => line.includes("does not match")));
  expect(backend.asked.map((one) => one.request)).not.toContain(stranger);

  const several = await send("/several");
  const count = () => backend.asked.filter((one) => one.request === several).length;
  await until("both copies over TLS came", () => count() === 2);
  const seen: Seen[] = [];
  await until("the plain copy came", () => {
    seen.push(...it.seen());
    return seen.some(({ url, backend: by }) => url.startsWith("/several") && by === 2);
  });
});
