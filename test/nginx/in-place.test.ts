/**
 * Tests which requests `location /` serves in place, and which ones jump to the location of their
 * shape. `$s_at` is empty for the former and has the name of the location for the latter.
 */
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RequestSpec } from "../parity/request-spec.ts";
import { type Configured, host, ingress, service, startConfigured } from "./support/configured.ts";
import { until } from "./support/until.ts";

const port = 23_260;
let it: Configured;
let log: string;
let requests = 0;

beforeAll(async () => {
  it = await startConfigured({ port });
  log = join(it.folder, "places.log");
  await it.set({ "ssl-redirect": "false" }, [
    ...service("nobody", 9, []),
    ingress("nobody", "nobody.example", "nobody"),
    ingress("small", "small.example", "web", { annotations: { "proxy-body-size": "1k" } }),
  ]);
});
afterAll(() => it.stop());

/** The log format names a variable of a snippet, because it cannot name the router's own. */
const settings = ({ "http-snippet": snippet = "", ...more }: Readonly<Record<string, string>> = {}) => ({
  "ssl-redirect": "false",
  "access-log-path": log,
  "http-snippet": `map $s_at $taken_at { default $s_at; }\n${snippet}`,
  "log-format-upstream": "$uri $status at=$taken_at [$proxy_upstream_name]",
  ...more,
});

/** Sends a request, and returns its line in the log without the path. */
async function logged(spec: RequestSpec | ((path: string) => RequestSpec)): Promise<string> {
  const path = `/${++requests}`;
  await it.ask(typeof spec === "function" ? spec(path) : { ...spec, path });
  return lineOf(path);
}

/** Does the same for a GET over HTTP/2, whose body would have no length. */
async function loggedOverHttp2(): Promise<string> {
  const path = `/${++requests}`;
  const session = connect(`https://192.0.2.1:${it.ports.https}`, { servername: host, rejectUnauthorized: false });
  await text(session.request({ ":path": path, ":authority": host }));
  session.close();
  return lineOf(path);
}

async function lineOf(path: string): Promise<string> {
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n") : []);
  const line = () => lines().find((one) => one.startsWith(`${path} `));
  await until(`the line of ${path}`, () => line() !== undefined);
  return line()!.slice(path.length + 1);
}

const chunked = (bytes: number) => (path: string) => ({
  raw: [
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n0\r\n\r\n`,
  ].join(""),
});
const oldVersion = (path: string) => ({ raw: `GET ${path} HTTP/1.0\r\nHost: ${host}\r\n\r\n` });

const inPlace = "200 at= [keys-web-80]";
const jumped = /^200 at=@\w+ \[keys-web-80\]$/;

test("requests without a body are served in place where their route has no annotations", async () => {
  await it.set(settings());
  expect(await logged({})).toBe(inPlace);
  expect(await logged({ method: "DELETE" })).toBe(inPlace);
  expect(await logged(oldVersion)).toBe(inPlace);
  expect(await logged({ scheme: "https" })).toBe(inPlace);
  expect(await logged({ host: "small.example" })).toMatch(jumped);
});

test("requests that may have a body jump, and so do those with X-Forwarded-For", async () => {
  await it.set(settings());
  expect(await logged({ method: "POST", body: "x" })).toMatch(jumped);
  expect(await logged(chunked(5))).toMatch(jumped);
  expect(await logged({ headers: { "Content-Length": "0" } })).toMatch(jumped);
  expect(await logged({ headers: { "X-Forwarded-For": "192.0.2.5" } })).toMatch(jumped);
  expect(await loggedOverHttp2()).toMatch(jumped);
});

test("a body without a length is limited as one with a length is", async () => {
  await it.set(settings({ "proxy-body-size": "1k" }));
  expect(await logged({ method: "POST", body: { bytes: 2048 } })).toMatch(/^413 /);
  expect(await logged(chunked(2048))).toMatch(/^413 /);
  expect(await logged(chunked(512))).toMatch(jumped);
});

test("a host without endpoints gets its 503 from the shape", async () => {
  await it.set(settings());
  expect(await logged({ host: "nobody.example" })).toMatch(/^503 at=@\w+ \[keys-nobody-80\]$/);
});

test.each([
  ["http-snippet", "error_page 418 /teapot;"],
  ["server-snippet", "error_page 418 /teapot;"],
  ["custom-http-errors", "418"],
])("with error pages of %s every request jumps", async (key, value) => {
  await it.set(settings({ [key]: value }));
  expect(await logged({})).toMatch(jumped);
  expect(it.conf()).not.toContain("in_place(");
});
