/** Tests keys about logs: which lines appear in which log. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Configured, host, ingress, service, startConfigured } from "./support/configured.ts";
import { until } from "./support/until.ts";

const port = 23_080;
let it: Configured;
let names = 0;

beforeAll(async () => {
  it = await startConfigured({ port, flags: ["--tcp-services-configmap=keys/tcp"] });
  const tcp = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tcp", namespace: "keys" } };
  await it.set({}, [
    { ...tcp, data: { [port + 8]: "keys/web:80" } } as never,
    ...service("gone", 9, ["192.0.2.87"]),
    ingress("gone", "gone.example", "gone"),
    ingress("asked", "asked.example", "web", {
      annotations: { "auth-url": `http://192.0.2.87:${port + 4}/auth` },
    }),
  ]);
});
afterAll(() => it.stop());

/** Returns a file name that no test has used before. */
function log() {
  const file = join(it.folder, `${names++}.log`);
  const content = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return { file, content, has: (words: string) => until(`${words} in the log`, () => content().includes(words)) };
}

const overTcp = async () => {
  const socket = connect({ host: "192.0.2.1", port: port + 8 });
  socket.end(`GET /tcp HTTP/1.0\r\nHost: ${host}\r\n\r\n`);
  await text(socket);
};

test("access-log-path has the lines of requests and TCP connections", async () => {
  const { file, has } = log();
  await it.set({ "access-log-path": file });
  await it.ask({ path: "/logged" });
  await has("GET /logged HTTP/1.1");
  await overTcp();
  await has("TCP 200");
});

test("http-access-log-path and stream-access-log-path separate the lines, and log-format-stream is the format of the latter", async () => {
  const [both, http, stream] = [log(), log(), log()];
  await it.set({
    "access-log-path": both.file,
    "http-access-log-path": http.file,
    "stream-access-log-path": stream.file,
    "log-format-stream": "over $protocol on $server_port",
  });
  await it.ask({ path: "/parted" });
  await http.has("/parted");
  await overTcp();
  await stream.has(`over TCP on ${port + 8}\n`);
  expect(both.content()).toBe("");
});

test("each request has an id of its own, and a log with $request_id has the one that backends get", async () => {
  const [own, both] = [log(), log()];
  await it.set({ "access-log-path": own.file, "log-format-upstream": "$request_uri $req_id;" });
  for (const path of ["/first", "/second"]) await it.ask({ path });
  // The router refuses this host before it makes an id.
  expect((await it.ask({ path: "/refused", host: "a?b" })).status).toBe(400);
  // A worker logs after its answer, so of two workers the first to answer may be the last to log.
  for (const path of ["/first", "/second", "/refused"]) await own.has(path);
  const ids = [...own.content().matchAll(/^\/(?:first|second|refused) ([0-9a-f]{32});$/gm)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(3);
  await it.set({ "access-log-path": both.file, "log-format-upstream": "$request_uri $req_id $request_id;" });
  await it.ask({ path: "/third" });
  await both.has("/third");
  expect(both.content()).toMatch(/^\/third ([0-9a-f]{32}) \1;$/m);
});

test("disable-http-access-log and disable-stream-access-log each turn off one log", async () => {
  const [quiet, deaf] = [log(), log()];
  await it.set({ "access-log-path": quiet.file, "disable-http-access-log": "true" });
  await it.ask({ path: "/unlogged" });
  await overTcp();
  await quiet.has("TCP 200");
  expect(quiet.content()).not.toContain("/unlogged");
  await it.set({ "access-log-path": deaf.file, "disable-stream-access-log": "true" });
  await overTcp();
  await it.ask({ path: "/again" });
  await deaf.has("/again");
  expect(deaf.content()).not.toContain("TCP 200");
});

test("access-log-params keeps lines in memory for a while", async () => {
  const { file, content, has } = log();
  await it.set({ "http-access-log-path": file, "access-log-params": "buffer=64k flush=10m" });
  for (let asked = 0; asked < 10; asked++) await it.ask({ path: "/kept-back" });
  expect(content()).toBe("");
  // Workers write their buffered lines when they end.
  await it.set({});
  await has("/kept-back");
});

test("log-format-escape-none writes values without escapes", async () => {
  const headers = { "user-agent": 'a"b' };
  const [plain, escaped] = [log(), log()];
  const format = { "log-format-upstream": "agent $http_user_agent" };
  await it.set({ ...format, "http-access-log-path": escaped.file });
  await it.ask({ headers });
  await escaped.has("agent a\\x22b");
  await it.set({ ...format, "http-access-log-path": plain.file, "log-format-escape-none": "true" });
  await it.ask({ headers });
  await plain.has('agent a"b');
});

test("enable-access-log-for-default-backend logs requests for unknown hosts, which are otherwise left out", async () => {
  const { file, content, has } = log();
  await it.set({ "http-access-log-path": file });
  await it.ask({ host: "unknown.example", path: "/first" });
  await it.set({ "http-access-log-path": file, "enable-access-log-for-default-backend": "true" });
  await it.ask({ host: "unknown.example", path: "/second" });
  await has("/second");
  expect(content()).not.toContain("/first");
});

test("enable-auth-access-log logs requests to the auth service", async () => {
  const lines = async (more: Record<string, string>) => {
    const { file, content, has } = log();
    await it.set({ "http-access-log-path": file, "log-format-upstream": "$uri $status", ...more });
    await it.ask({ host: "asked.example", path: "/page" });
    await has("/page 200");
    return content().trim().split("\n").length;
  };
  expect(await lines({})).toBe(1);
  expect(await lines({ "enable-auth-access-log": "true" })).toBe(2);
});

test("error-log-path gets errors from the level error-log-level on", async () => {
  const { file, has } = log();
  await it.set({ "error-log-path": file });
  expect((await it.ask({ host: "gone.example" })).status).toBe(502);
  await has("connect() failed (111: Connection refused)");
  const quiet = log();
  await it.set({ "error-log-path": quiet.file, "error-log-level": "emerg" });
  expect((await it.ask({ host: "gone.example" })).status).toBe(502);
  expect(quiet.content()).toBe("");
});

test("enable-syslog sends the logs to syslog-host and syslog-port", async () => {
  const receiver = createSocket("udp4").bind(port + 9, "192.0.2.91");
  onTestFinished(() => void receiver.close());
  await once(receiver, "listening");
  const received: string[] = [];
  receiver.on("message", (line) => received.push(String(line)));
  await it.set({ "enable-syslog": "true", "syslog-host": "192.0.2.91", "syslog-port": String(port + 9) });
  await it.ask({ path: "/told" });
  await until("the access log", () => received.some((line) => line.includes("GET /told")));
  await it.ask({ host: "gone.example" });
  await until("the error log", () => received.some((line) => line.includes("connect() failed")));
});

test("--v=5 makes nginx log more, unless error-log-level sets the level", async () => {
  const talkative = await startConfigured({ port: 23_160, flags: ["--v=5"] });
  onTestFinished(talkative.stop);
  await talkative.set({});
  expect(levels(talkative)).toEqual(["info"]);
  await talkative.set({ "error-log-level": "warn" });
  expect(levels(talkative)).toEqual(["warn"]);
});

/** The levels of the error logs of http and stream, without the one that the controller reads. */
const levels = (one: Configured) => {
  const logs = one.values("error_log").filter((value) => !value.includes("nginx.errors"));
  return [...new Set(logs.map((value) => value.split(" ").at(-1)))];
};
