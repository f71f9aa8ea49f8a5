/**
 * Tests annotations whose effect a recorded answer cannot show: nginx's logs, its time limits, and
 * its protocols beside HTTP.
 */
import { once } from "node:events";
import { connect as connectTcp, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ingress, service, slice } from "../support/sketch.ts";
import { listensDeafly } from "./support/deaf-backend.ts";
import { type Stand, startStand } from "./support/stand.ts";
import { until } from "./support/until.ts";

const address = "192.0.2.92";
let stand: Stand;

beforeAll(async () => {
  const permitted = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
  const settings = { ...permitted, "error-log-level": "notice" };
  stand = await startStand({ mode: "dynamic", port: 8491, address, settings });
});
afterAll(() => stand.stop());

const only = (annotations: Record<string, string>, service = "web") =>
  ingress({ name: "a", host: "a.example", paths: [["/", service]], annotations });

test("enable-access-log false keeps the requests of its Ingress out of the log", async () => {
  await stand.apply(only({ "enable-access-log": "false" }), ingress({ name: "b", host: "b.example" }));
  await stand.ask("a.example", "/unlogged");
  await stand.ask("b.example", "/logged");
  await until("the line of the other", () => stand.accessLog().includes("/logged"));
  expect(stand.accessLog()).not.toContain("/unlogged");
});

test("enable-rewrite-log writes each rewrite to the error log", async () => {
  const snippet = { "configuration-snippet": "rewrite ^/from-a-snippet$ /to break;" };
  await stand.apply(only(snippet));
  await stand.ask("a.example", "/from-a-snippet");
  await stand.apply(only({ ...snippet, "enable-rewrite-log": "true" }));
  await stand.ask("a.example", "/from-a-snippet");
  const rewrites = () => stand.errorLog().match(/rewritten data: "\/to"/g) ?? [];
  await until("the line about the rewrite", () => rewrites().length > 0);
  expect(rewrites()).toHaveLength(1);
});

test("a body larger than client-body-buffer-size goes to a file, and a smaller one stays in memory", async () => {
  const body = "x".repeat(3000);
  const filed = () => (stand.errorLog().match(/client request body is buffered to a temporary file/g) ?? []).length;
  await stand.apply(only({ "client-body-buffer-size": "16k" }));
  await stand.ask("a.example", "/", { method: "POST", body });
  expect(filed()).toBe(0);
  await stand.apply(only({ "client-body-buffer-size": "1k" }));
  await stand.ask("a.example", "/", { method: "POST", body });
  await until("the line about the file", () => filed() === 1);
});

const at = (name: string, port: number) => {
  const found = slice(name, address);
  return [service(name), { ...found, ports: [{ port }] }];
};
const once504 = { "proxy-next-upstream": "off" };

test("proxy-connect-timeout ends the wait for a backend that accepts no connection", async () => {
  const { port } = await listensDeafly(address);
  await stand.apply(...at("deaf", port), only({ ...once504, "proxy-connect-timeout": "1" }, "deaf"));
  const began = Date.now();
  expect((await stand.ask("a.example")).status).toBe(504);
  expect(Date.now() - began).toBeLessThan(30_000);
});

test("proxy-send-timeout ends the wait for a backend that reads nothing", async () => {
  const server = createServer((socket) => socket.pause());
  server.listen(0, address);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const timeouts = { ...once504, "proxy-send-timeout": "1", "proxy-body-size": "0" };
  await stand.apply(...at("full", port), only(timeouts, "full"));
  const body = Buffer.alloc(40_000_000);
  expect((await stand.ask("a.example", "/", { method: "POST", body })).status).toBe(504);
});

test("ssl-prefer-server-ciphers decides whose order of ciphers counts", async () => {
  const [ours, theirs] = ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384"];
  const agreed = async (prefer: string) => {
    await stand.apply(only({ "ssl-ciphers": `${ours}:${theirs}`, "ssl-prefer-server-ciphers": prefer }));
    const [host = "", port] = stand.secureAddress.split(":");
    const ciphers = `${theirs}:${ours}`;
    const tls = { servername: "a.example", ciphers, maxVersion: "TLSv1.2", rejectUnauthorized: false } as const;
    const socket = connectTls({ host, port: Number(port), ...tls });
    await once(socket, "secureConnect");
    const { name } = socket.getCipher();
    socket.destroy();
    return name;
  };
  expect(await agreed("true")).toBe(ours);
  expect(await agreed("false")).toBe(theirs);
});

test("a stream-snippet adds a server to the stream block", async () => {
  await stand.apply(only({ "stream-snippet": `server { listen 192.0.2.1:8599; return "from the stream\\n"; }` }));
  expect(await text(connectTcp(8599, "192.0.2.1"))).toBe("from the stream\n");
  expect((await stand.ask("a.example")).status).toBe(200);
});

test("http2-push-preload and auth-keepalive-share-vars have no effect, and a Problem names the first", async () => {
  const url = `http://${address}:8080/?echo-status=401`;
  await stand.apply(only({ "http2-push-preload": "true" }));
  expect((await stand.ask("a.example")).status).toBe(200);
  expect(stand.problemsOf("a").join()).toContain("http2-push-preload has no effect: nginx has not pushed since 1.25.1");
  await stand.apply(only({ "auth-url": url, "auth-keepalive": "5", "auth-keepalive-share-vars": "true" }));
  expect((await stand.ask("a.example")).status).toBe(401);
});

test("OpenTelemetry without its module is a Problem, and the Ingress is served", async () => {
  const traced = { "opentelemetry-trust-incoming-span": "true", "opentelemetry-operation-name": "shop" };
  await stand.apply(only({ "enable-opentelemetry": "true", ...traced }));
  expect((await stand.ask("a.example")).status).toBe(200);
  expect(stand.problemsOf("a").filter((sentence) => sentence.includes("opentelemetry"))).not.toEqual([]);
});
