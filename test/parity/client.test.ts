/**
 * Uses every form of request once, through a real nginx. A mistake of the client in an unusual form
 * could let a case pass for no reason.
 */
import { constants } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type TestNginx, testNginx } from "../nginx/support/nginx.ts";
import { type EchoBackends, startEchoBackends } from "../support/echo-backend.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { ask, type Jar } from "./client.ts";
import { digestOf } from "./digest.ts";
import type { RequestSpec } from "./request-spec.ts";

const folder = mkdtempSync(join(tmpdir(), "parity-client-"));
let nginx: TestNginx;
let backends: EchoBackends;
let pki: Pki;

const server = (name: string, lines: string) => `server { server_name ${name}; ${lines} }`;
const certificate = (name: string) =>
  `ssl_certificate ${folder}/${name}.crt; ssl_certificate_key ${folder}/${name}.key;`;
const pass = "location / { proxy_pass http://192.0.2.10:8080; proxy_set_header Host $host; proxy_http_version 1.1; }";

beforeAll(async () => {
  pki = await pkiIn(folder);
  backends = await startEchoBackends({ addresses: ["192.0.2.10"], ...pki.backend });
  nginx = await testNginx();
  writeFileSync(join(folder, "index.html"), "x");
  await nginx.serve({
    http: [
      server(
        "echo.example",
        `listen 192.0.2.1:80 default_server; keepalive_requests 2; gzip on; gzip_types *; ${pass}`,
      ),
      server(
        "tls.example",
        `listen 192.0.2.1:443 ssl http2; ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:s:1m; ${certificate("tls")} ssl_verify_client optional_no_ca; location / { return 200 "$ssl_client_s_dn"; }`,
      ),
      server("alt.example", `listen 192.0.2.1:443 ssl; ${certificate("alt")} return 204;`),
      server("_", "listen 192.0.2.1:82; client_header_timeout 1; reset_timedout_connection on;"),
      server("_", `listen 192.0.2.1:444 ssl; ssl_protocols TLSv1.3; ${certificate("tls")}`),
      server("_", `listen 192.0.2.1:445 ssl; ssl_reject_handshake on;`),
      server("_", `listen 192.0.2.1:81 proxy_protocol; location / { return 200 "$proxy_protocol_addr $remote_addr"; }`),
    ].join("\n"),
  });
});
afterAll(async () => {
  await nginx.stop();
  await backends.stop();
  rmSync(folder, { recursive: true });
});

const asked = (spec: RequestSpec, jar: Jar = new Map()) => ask(spec, jar, pki);

test("an answer is what the backend saw, without varying parts", async () => {
  const answer = await asked({
    host: "echo.example",
    path: "/a//b?c",
    headers: { "X-Id": "0".repeat(32), "X-Two": ["1", "2"] },
  });
  const seen = {
    backend: "192.0.2.10",
    url: "/a//b?c",
    headers: { host: "echo.example", "x-id": "<id>", "x-two": "1 | 2" },
  };
  expect(answer).toMatchObject({ request: "GET http://echo.example/a//b?c", status: 200, headers: {}, seen });
  expect(answer.seen?.headers).not.toHaveProperty("connection");
});

test("a body is sent with its length, and long runs of x are shortened in the answer", async () => {
  const answer = await asked({
    host: "e",
    method: "POST",
    body: "hi",
    headers: { "X-Long": "{x*300}" },
    allHeaders: true,
  });
  expect(answer.seen).toMatchObject({
    method: "POST",
    body: "hi",
    headers: { "x-long": "<x*300>", "content-length": "2" },
  });
});

test("a large body arrives complete", async () => {
  const answer = await asked({ host: "e", method: "PUT", body: { bytes: 900_000 } });
  expect(answer.seen?.body).toMatch(/^900000 bytes/);
});

test("compressed answers are read", async () => {
  const answer = await asked({ host: "e", headers: { "Accept-Encoding": "gzip" } });
  expect(answer).toMatchObject({ headers: { "content-encoding": "gzip" }, seen: { url: "/" } });
});

test("a body that is not the echo's is text, shortened and with white space folded", async () => {
  const answer = await asked({ host: "e", path: `/?echo-body=${"a%20%20".repeat(400)}&echo-type=text/plain` });
  expect(answer.seen).toBeUndefined();
  expect(answer.body).toBe("a ".repeat(150));
});

test("a HEAD request has headers and no body", async () => {
  expect(await asked({ host: "e", method: "HEAD" })).toMatchObject({ status: 200, body: "" });
});

test("bytes are sent unchanged, with a pause between the parts of a list", async () => {
  expect(await asked({ raw: "GET / HTTP/1.1\r\n\r\n" })).toMatchObject({ status: 400 });
  const answer = await asked({ raw: ["GET /x HTTP/1.0\r\n", "X-Late: 1\r\n\r\n"] });
  expect(answer.seen).toMatchObject({ headers: { "x-late": "1" } });
});

test("cookies of answers are stored and sent, and the value of an affinity cookie is hidden", async () => {
  const jar: Jar = new Map();
  const path = "/?echo-header=Set-Cookie:INGRESSCOOKIE%3Dabc%3B%20Path%3D/&echo-header=Set-Cookie:other%3D1";
  const first = await asked({ host: "e", path }, jar);
  expect(first.headers).toEqual({ "set-cookie": "INGRESSCOOKIE=<cookie>; Path=/ | other=1" });
  const second = await asked({ host: "e", jar: true, keepCookieValue: true }, jar);
  expect(second.seen?.headers).toMatchObject({ cookie: "INGRESSCOOKIE=abc; other=1" });
});

test("the answer to a websocket handshake is what the backend saw", async () => {
  const upgrade = { Connection: "Upgrade", Upgrade: "websocket" };
  const answer = await asked({ host: "e", to: "192.0.2.10", port: 8080, path: "/ws", headers: upgrade });
  expect(answer).toMatchObject({ status: 101, headers: { upgrade: "websocket" }, seen: { url: "/ws" } });
});

test("a Digest challenge is answered", async () => {
  const path = "/?echo-status=401&echo-header=WWW-Authenticate:Digest%20realm%3D%22R%22,%20nonce%3D%22abc%22";
  const [name, value] = await digestOf({ host: "e", path }, { user: "u", password: "p" }, pki);
  const given = `username="u", realm="R", nonce="abc", uri="${path}", qop=auth, nc=00000001, cnonce="abcdef"`;
  // The response was computed by another program, from the formula of RFC 7616.
  expect([name, value]).toEqual(["Authorization", `Digest ${given}, response="0081393ce5cc7a8032c4cfa45497da2e"`]);
  const answer = await asked({ host: "e", path, digest: { user: "u", password: "p" } });
  expect(answer.seen?.headers?.authorization).toMatch(/^Digest username="u", realm="R", nonce="<nonce>"/);
});

test("repeated requests give a tally, a set or a count", async () => {
  const spec = { host: "e", repeat: 3 };
  expect(await asked(spec)).toEqual({ request: "GET http://e/", tally: { "200 192.0.2.10": 3 } });
  expect(await asked({ ...spec, parallel: true, only: "set" })).toMatchObject({ answers: ["200 192.0.2.10"] });
  expect(await asked({ ...spec, only: "count" })).toMatchObject({ distinct: 1 });
});

test("requests on one connection end where the server ends it", async () => {
  expect(await asked({ host: "e", same: 1 })).toMatchObject({ statuses: [200], kept: true });
  expect(await asked({ host: "e", same: 3 })).toMatchObject({ statuses: [200, 200], kept: false });
});

test("a request without an answer has the reason", async () => {
  expect(await asked({ host: "e", port: 9 })).toEqual({ request: "GET http://e/", error: "ConnectionRefusedError" });
  expect(await asked({ raw: "GET / HTTP/1.1\r\n", timeout: 0.2 })).toMatchObject({ error: "TimeoutError" });
  expect(await asked({ raw: "GET / HTTP/1.1\r\n", port: 82, timeout: 60 })).toMatchObject({
    error: "ConnectionResetError",
  });
});

test("a slow answer is marked if the case says so", async () => {
  expect(await asked({ host: "e", path: "/?echo-delay=120", slowerThan: 0.1 })).toMatchObject({ slow: true });
  expect(await asked({ host: "e", slowerThan: 5 })).toMatchObject({ slow: false });
});

test("the PROXY line is sent first, and gives the client's address", async () => {
  const answer = await asked({
    host: "e",
    port: 81,
    proxyLine: "PROXY TCP4 198.51.100.7 192.0.2.1 1 81",
    from: "192.0.2.70",
  });
  expect(answer.body).toBe("198.51.100.7 192.0.2.70");
});

test("the server name is the host, unless the case has another or none", async () => {
  const https = { scheme: "https", host: "alt.example" } as const;
  expect(await asked(https)).toMatchObject({ certificate: "CN=alt.example" });
  expect(await asked({ ...https, tls: { sni: "tls.example" } })).toMatchObject({ certificate: "CN=tls.example" });
  expect(await asked({ ...https, tls: { sni: null } })).toMatchObject({ certificate: "CN=tls.example" });
});

test("the client certificate of a case is presented", async () => {
  const spec = { scheme: "https", host: "tls.example" } as const;
  expect(await asked({ ...spec, tls: { client: "client" } })).toMatchObject({ body: "CN=client one" });
  expect(await asked(spec)).toMatchObject({ body: "" });
});

test("version, cipher, curve and protocol are those of the case", async () => {
  const spec = { scheme: "https", host: "tls.example" } as const;
  const old = await asked({
    ...spec,
    tls: { version: "TLSv1_2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256", curve: "P-256" },
  });
  expect(old).toMatchObject({ protocol: "TLSv1.2", cipher: "ECDHE-ECDSA-AES128-GCM-SHA256", status: 200 });
  const recent = await asked({ ...spec, tls: { version: "TLSv1_3", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" } });
  expect(recent).toMatchObject({ protocol: "TLSv1.3", status: 200 });
  expect(await asked({ ...spec, tls: { alpn: ["h2", "http/1.1"] } })).toMatchObject({ alpn: "h2" });
  expect(await asked({ ...spec, tls: { alpn: ["http/1.1"] } })).toMatchObject({ alpn: "http/1.1", status: 200 });
});

test("a session is offered in a second handshake", async () => {
  const tls = { version: "TLSv1_2", resume: true } as const;
  expect(await asked({ scheme: "https", host: "tls.example", tls })).toMatchObject({
    ticket: true,
    resumed: true,
    status: 200,
  });
});

test("a session is offered after the server has stored it, which may happen after its part of the handshake", async () => {
  const kept = new Map<string, Buffer>();
  const { certificate: cert, key } = pki.tls;
  const options = { secureOptions: constants.SSL_OP_NO_TICKET, allowHalfOpen: true } as const;
  let session: readonly [string, Buffer];
  const server = createServer({ cert, key, maxVersion: "TLSv1.2", ...options }, (socket) => {
    socket.on("end", () => {
      setTimeout(() => {
        kept.set(...session);
        socket.end();
      }, 20);
    });
    socket.on("data", () => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
  });
  server.on("newSession", (id: Buffer, made: Buffer, done: () => void) => {
    session = [id.toString("hex"), made];
    done();
  });
  server.on("resumeSession", (id, found) => found(null, kept.get(id.toString("hex")) ?? null));
  onTestFinished(() => void server.close());
  await once(server.listen(446, "192.0.2.1"), "listening");
  const spec = { scheme: "https", host: "tls.example", port: 446, tls: { resume: true } } as const;
  expect(await asked(spec)).toMatchObject({ ticket: false, resumed: true });
});

test.each([
  ["an old version", 444, { version: "TLSv1_2" }, "[SSL: TLSV1_ALERT_PROTOCOL_VERSION] tlsv1 alert protocol version"],
  [
    "an unknown cipher",
    443,
    { version: "TLSv1_2", ciphers: "ECDHE-RSA-AES128-GCM-SHA256" },
    "[SSL: SSLV3_ALERT_HANDSHAKE_FAILURE] sslv3 alert handshake failure",
  ],
  ["an unknown name", 445, {}, "[SSL: TLSV1_UNRECOGNIZED_NAME] tlsv1 unrecognized name"],
  ["an unknown protocol", 443, { alpn: ["spdy/3"] }, "[SSL] tlsv1 alert no application protocol"],
] as const)("a handshake that is refused for %s has its alert", async (_, port, tls, tlsError) => {
  expect(await asked({ scheme: "https", host: "tls.example", port, tls })).toMatchObject({ tlsError });
});
