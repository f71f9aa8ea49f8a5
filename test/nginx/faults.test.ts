/**
 * Tests resources that nginx cannot get from the machine (a port, an address, a file, a name). Only
 * the object that needs one is set aside, and all later changes are applied.
 */
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Configured, host, ingress, startConfigured } from "./support/configured.ts";
import { until } from "./support/until.ts";

const port = 23_140;
let it: Configured;

beforeAll(async () => {
  it = await startConfigured({ port, flags: ["--tcp-services-configmap=keys/tcp"] });
  await it.set({});
});
afterAll(() => it.stop());

let made = 0;

/** A new host is served, with a setting of its own, so that it costs a reload. */
async function servesOthers(settings: Record<string, string>): Promise<void> {
  const name = `other-${made++}`;
  const annotations = { "client-body-buffer-size": `${100 + made}k` };
  await it.set(settings, [ingress(name, `${name}.example`, "web", { annotations })]);
  expect((await it.ask({ host: `${name}.example` })).status).toBe(200);
  expect((await it.ask({ host })).status).toBe(200);
  expect(it.values("client_body_buffer_size")).toContain(`${100 + made}k`);
}

const busy = "another program is using this address";
test.each([
  ["bind-address", "203.0.113.9", "this machine does not have that address"],
  ["access-log-path", "/nonexistent/access.log", 'open\\(\\) "/nonexistent/access.log" failed'],
  ["http-access-log-path", "/proc/access.log", 'open\\(\\) "/proc/access.log" failed'],
] as const)("%s with the value %s is refused, and later changes are applied", async (key, text, why) => {
  await it.set({ [key]: text });
  await servesOthers({ [key]: text });
  expect(it.problems()).toEqual([expect.stringMatching(new RegExp(`^key ${key}: .*${why}.*`))]);
  await it.set({});
  expect(it.problems()).toEqual([]);
});

test("a syslog-host without an address is refused by its name", async () => {
  const settings = { "enable-syslog": "true", "syslog-host": "nobody.invalid" };
  await it.set(settings);
  await servesOthers(settings);
  expect(it.problems().join()).toMatch(/syslog-host: .*host not found in .*nobody\.invalid/);
  await it.set({});
});

test("where two keys change, the faulty one is found, and the other has its effect", async () => {
  const settings = { "access-log-path": "/nonexistent/access.log", "proxy-send-timeout": "77" };
  await it.set(settings);
  await until("the other key", () => it.values("proxy_send_timeout").includes("77s"));
  expect(it.problems()).toEqual([expect.stringMatching(/^key access-log-path: /)]);
  await it.set({});
});

test("a TCP service on a busy port is left out, and the others are served", async () => {
  const taken = createServer().listen(port + 8, "0.0.0.0");
  onTestFinished(() => void taken.close());
  const tcp = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tcp", namespace: "keys" } };
  const data = { [port + 8]: "keys/web:80", [port + 9]: "keys/web:80" };
  await it.set({}, [{ ...tcp, data } as never]);
  await servesOthers({});
  expect(it.problems()).toEqual([expect.stringMatching(new RegExp(`data\\.${port + 8}: .*${busy}`))]);
  expect((await it.ask({ port: port + 9 })).status).toBe(200);
  taken.close();
  await until("the service on the free port", () => it.problems().length === 0);
  await until("its answer", async () => (await it.ask({ port: port + 8 }).catch(() => undefined))?.status === 200);
  await it.set({}, [{ ...tcp, data: {} } as never]);
});

test("an Ingress whose snippet logs to an impossible file is set aside alone", async () => {
  const snippets = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
  const annotations = { "configuration-snippet": "access_log /nonexistent/own.log;" };
  await it.set(snippets, [ingress("own-log", "own-log.example", "web", { annotations })]);
  await servesOthers(snippets);
  expect(it.problems()).toEqual([
    expect.stringMatching(/^nginx refused it: open\(\) "\/nonexistent\/own.log" failed .*; the last good version/),
  ]);
});

test("a location-snippet that nginx refuses is blamed on the setting, although it is in locations of Ingresses", async () => {
  await it.set({});
  await it.set({ "location-snippet": "no_such_directive on;" });
  await servesOthers({ "location-snippet": "no_such_directive on;" });
  expect(it.problems()).toContainEqual(expect.stringMatching(/^key location-snippet: .*unknown directive/));
});

test("a location inside location-snippet is in the paths of Ingresses, and hosts with a limit are served", async () => {
  const settings = { "location-snippet": "location ~ robots.txt { return 200 'no robots'; }" };
  const annotations = { "limit-rps": "50" };
  await it.set(settings, [ingress("limited", "limited.example", "web", { annotations })]);
  for (const name of [host, "limited.example"]) {
    expect((await it.ask({ host: name })).status).toBe(200);
    expect((await it.ask({ host: name, path: "/robots.txt" })).body).toBe("no robots");
  }
  expect(it.problems().join()).not.toContain("location");
  expect((await it.ask({ host: "unknown.example" })).status).toBe(503);
  await it.set({});
  expect((await it.ask({ host, path: "/robots.txt" })).body).not.toBe("no robots");
});
