/** Backends over TLS with a BackendTLSPolicy, and the certificate that a Gateway shows them. */
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import type { BackendTls } from "../../src/model/backend-tls.ts";
import { SecretText } from "../../src/model/configuration.ts";
import { withId } from "../../src/translate/gateway/backend-tls/policy.ts";
import { sharedPki } from "../support/pki.ts";
import { host, port, prefix, startGateways } from "./support/gateways.ts";
import { request } from "./support/request.ts";

interface Asked {
  readonly sni: string | false | null;
  readonly host: string | undefined;
  readonly client: string | undefined;
  readonly http: string;
  readonly connection: number;
}

/** Shows the certificate of backend.example, and asks the client for one without requiring it. */
async function tlsBackend(address: string): Promise<{ asked: Asked[]; connections: () => number; port: number }> {
  const { backend, ca } = await sharedPki();
  const asked: Asked[] = [];
  const connections = new WeakMap<object, number>();
  let count = 0;
  const more = { requestCert: true, rejectUnauthorized: false, allowHTTP1: true };
  const server = createSecureServer(
    { cert: backend.certificate, key: backend.key, ca: ca.certificate, ...more },
    (from, answer) => {
      const socket = (from.httpVersionMajor === 2 ? from.stream.session!.socket : from.socket) as TLSSocket & {
        readonly servername: string | false | null;
      };
      const one = {
        sni: socket.servername,
        host: from.headers.host ?? (from.headers[":authority"] as string | undefined),
        client: socket.getPeerCertificate()?.subject?.CN as string | undefined,
        http: from.httpVersion,
        connection: connections.get(socket) ?? 0,
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

test("a backend is asked over TLS only if its certificate is trusted and has the name, and shown the Gateway's own", async () => {
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
