/** Tests keys about requests to backends and their answers, observed by backend and client. */
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Configured, host, ingress, secret, service, startConfigured } from "./support/configured.ts";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";
import { until } from "./support/until.ts";

const port = 23_040;
let it: Configured;
let held: HeldBackend;

beforeAll(async () => {
  it = await startConfigured({ port });
  held = await heldBackend("192.0.2.89", port + 6);
  await it.set({}, [
    ...service("held", port + 6, ["192.0.2.89"]),
    ingress("held", "held.example", "held"),
    ...service("half", it.ports.backend, ["192.0.2.87", "192.0.2.90"]),
    ingress("half", "half.example", "half"),
    ingress("asked", "asked.example", "web"),
  ]);
});
afterAll(async () => {
  await it.stop();
  await held.stop();
});

test("proxy-http-version sets the version of HTTP towards the backend", async () => {
  await it.set({});
  expect((await it.ask()).seen?.httpVersion).toBe("1.1");
  await it.set({ "proxy-http-version": "1.0" });
  expect((await it.ask()).seen?.httpVersion).toBe("1.0");
});

test("proxy-cookie-path and proxy-redirect-from with proxy-redirect-to rewrite the answer of the backend", async () => {
  const path =
    "/?echo-header=Set-Cookie:a%3Db;%20Path%3D/inner/&echo-status=302&echo-header=Location:http://inner.example/x";
  await it.set({});
  expect((await it.ask({ path })).headers).toMatchObject({
    "set-cookie": "a=b; Path=/inner/",
    location: "http://inner.example/x",
  });
  await it.set({
    "proxy-cookie-path": "/inner/ /outer/",
    "proxy-redirect-from": "http://inner.example/",
    "proxy-redirect-to": "http://outer.example/",
  });
  expect((await it.ask({ path })).headers).toMatchObject({
    "set-cookie": "a=b; Path=/outer/",
    location: "http://outer.example/x",
  });
});

test("limit-rate-after sends the first kilobytes at full speed, and limit-rate slows the rest of a buffered answer", async () => {
  const slow = async (more: Record<string, string>) => {
    await it.set({ "limit-rate": "1", "proxy-buffering": "on", "large-client-header-buffers": "4 16k", ...more });
    const began = performance.now();
    expect((await it.ask({ path: `/?echo-body=${"x".repeat(6 * 1024)}` })).status).toBe(200);
    // The time of 6 KB at 1 KB a second; without a limit it takes milliseconds, even on a busy
    // machine far less.
    return performance.now() - began > 4_000;
  };
  expect(await slow({})).toBe(true);
  expect(await slow({ "limit-rate-after": "100" })).toBe(false);
  expect(await slow({ "proxy-buffering": "off" })).toBe(false);
});

/**
 * Sends the head and half of the body, and gives the request some time to reach the backend. Then
 * it sends the other half. Returns whether the backend got the request before that.
 */
async function hasHalf(patienceMs: number): Promise<boolean> {
  const socket = connect({ host: "192.0.2.1", port });
  socket.write("POST / HTTP/1.1\r\nHost: held.example\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhalf.");
  const early = await until("the request", () => held.held === 1, patienceMs).catch(() => false);
  socket.write("half.");
  await until("the whole request", () => held.held === 1);
  held.release("done");
  socket.destroy();
  await until("its end", () => held.held === 0);
  return early;
}

test("proxy-request-buffering off passes the body on while it arrives", async () => {
  await it.set({});
  expect(await hasHalf(500)).toBe(false);
  await it.set({ "proxy-request-buffering": "off" });
  expect(await hasHalf(30_000)).toBe(true);
});

test("retry-non-idempotent sends a POST to another endpoint as well", async () => {
  const failures = async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => it.ask({ host: "half.example", method: "POST", body: "x" })),
    );
    return answers.filter(({ status }) => status === 502).length;
  };
  await it.set({ "proxy-next-upstream": "error timeout http_502" });
  const path = "/?echo-fail=192.0.2.87:503";
  const refused = async (more: Record<string, string>) => {
    await it.set({ "proxy-next-upstream": "http_503", ...more });
    return (await it.ask({ host: "half.example", method: "POST", path, body: "x", repeat: 6 })).tally;
  };
  expect(await failures()).toBe(0);
  expect(Object.keys((await refused({})) ?? {}).some((answer) => answer.startsWith("503"))).toBe(true);
  const retried = await refused({ "retry-non-idempotent": "true" });
  expect(Object.keys(retried ?? {}).some((answer) => answer.startsWith("503"))).toBe(false);
});

test("disable-proxy-intercept-errors keeps the backend's own error page", async () => {
  const body = async (more: Record<string, string>) => {
    await it.set({ "custom-http-errors": "418", ...more });
    return (await it.ask({ path: "/?echo-status=418&echo-body=teapot" })).body;
  };
  expect(await body({})).not.toBe("teapot");
  expect(await body({ "disable-proxy-intercept-errors": "true" })).toBe("teapot");
});

test("global-auth-always-set-cookie keeps the cookie of the auth service on errors of the backend", async () => {
  const cookie = async (more: Record<string, string>) => {
    const url = `http://192.0.2.87:${it.ports.backend}/auth?echo-header=Set-Cookie:seen%3Dyes`;
    await it.set({ "global-auth-url": url, ...more });
    const answer = await it.ask({ host: "asked.example", path: "/?echo-status=500" });
    return [answer.status, answer.headers?.["set-cookie"]];
  };
  expect(await cookie({})).toEqual([500, undefined]);
  expect(await cookie({ "global-auth-always-set-cookie": "true" })).toEqual([500, "seen=yes"]);
});

test("proxy-ssl-location-only keeps the client certificate from paths that name none", async () => {
  const ca = { "ca.crt": it.pki.ca.certificate };
  const pair = { "tls.crt": it.pki.client.certificate, "tls.key": it.pki.client.key };
  const secure = { "backend-protocol": "HTTPS" };
  const objects = [
    secret("own", { ...pair, ...ca }),
    ...service("secure", it.ports.backend + 1, ["192.0.2.87"]),
    ingress("with", "identity.example", "secure", {
      path: "/with",
      annotations: { ...secure, "proxy-ssl-secret": "keys/own" },
    }),
    ingress("without", "identity.example", "secure", { path: "/without", annotations: secure }),
  ];
  const client = async (path: string) => (await it.ask({ host: "identity.example", path })).seen?.tls?.client;
  await it.set({}, objects);
  expect([await client("/with"), await client("/without")]).toEqual(["client one", "client one"]);
  await it.set({ "proxy-ssl-location-only": "true" });
  expect([await client("/with"), await client("/without")]).toEqual(["client one", ""]);
});

test("the default host is still served", async () => {
  await it.set({});
  expect((await it.ask({ host })).status).toBe(200);
});
