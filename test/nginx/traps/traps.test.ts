/**
 * Tests the traps of docs/ingress-nginx/traps.md, by their numbers. Each test fails when the guard
 * against its trap is removed. The others are tested elsewhere: 1 and 6 in files beside this one, 9
 * in `src/nginx/folder.test.ts`, 10 by `steady-traffic.ts`, 11 in `streams.test.ts`, and 12 in
 * `test/image/parity.test.ts`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { request } from "../support/request.ts";
import { ingress, service, settings } from "../support/shop.ts";
import { type ShopSubject, startShop } from "../support/shop-subject.ts";
import { until } from "../support/until.ts";

const address = "192.0.2.76";
let subject: ShopSubject;
beforeAll(async () => {
  subject = await startShop(
    8361,
    [address],
    [...service("web", [address]), ...service("none", []), ...service("safe", [address], 8443)],
  );
});
afterAll(() => subject.stop());

/** Applies these objects, and returns the answer of the host when they are live. */
async function serve(...objects: readonly KubernetesObject[]): Promise<void> {
  await subject.apply(objects);
  await subject.settled();
}
const ask = (host: string, path = "/", headers = {}) => request({ to: subject.to, host, path, headers });

test("trap 2: a body that is too large gets 413 within the shape, so its error page answers", async () => {
  const pages = { "custom-http-errors": "413", "default-backend": "web" };
  await serve(
    ingress("small", "small.example", "web", { ...pages, "proxy-body-size": "1k" }),
    ingress("large", "large.example", "web"),
  );
  const send = (host: string) => request({ to: subject.to, host, method: "POST", body: "x".repeat(2000) });
  const [small, large] = [await send("small.example"), await send("large.example")];
  expect(JSON.parse(small.body).headers).toMatchObject({ "x-code": "413" });
  expect(JSON.parse(large.body).headers).not.toHaveProperty("x-code");
});

test("trap 3: after an auth request, a mirror and an error page the log names the route of the client's request", async () => {
  const log = join(subject.folder, "access.log");
  const format =
    "$host $namespace $ingress_name $service_name $service_port $location_path $proxy_upstream_name $status";
  await serve(
    settings({ "access-log-path": log, "log-format-upstream": format }),
    ingress("asked", "asked.example", "web", { "auth-url": `http://${address}:8080/auth` }),
    ingress("mirrored", "mirrored.example", "web", { "mirror-target": `http://${address}:8080/mirror` }),
    ingress("broken", "broken.example", "none", { "custom-http-errors": "503", "default-backend": "web" }),
  );
  for (const host of ["asked", "mirrored", "broken"]) await ask(`${host}.example`);
  // The mirrored request has a log line of its own.
  const lines = await until("four lines", () => {
    const text = readFileSync(log, "utf8").trim().split("\n");
    return text.length >= 4 && text;
  });
  expect(lines.toSorted()).toEqual([
    "asked.example ns asked web 80 / ns-web-80 200",
    expect.stringMatching(/^broken\.example ns broken none 80 \/ ns-\w+-80 \d+$/),
    "mirrored.example ns mirrored web 80 / ns-web-80 200",
    "mirrored.example ns mirrored web 80 / ns-web-80 200",
  ]);
  await serve(settings({}));
});

test("trap 4: a header that a snippet adds keeps the inherited ones", async () => {
  await serve(
    settings({ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical", "add-headers": "ns/added" }),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "added", namespace: "ns" },
      data: { "X-Added": "yes" },
    } as KubernetesObject,
    ingress("snippet", "snippet.example", "web", {
      "configuration-snippet": "proxy_set_header X-Mine 1;\nadd_header X-Own 1;",
    }),
  );
  const { headers, body } = await ask("snippet.example");
  expect(headers).toMatchObject({ "x-own": "1", "x-added": "yes" });
  expect(JSON.parse(body).headers).toMatchObject({
    "x-mine": "1",
    "x-real-ip": "192.0.2.1",
    "x-forwarded-host": "snippet.example",
  });
  await serve(settings({}));
});

test("trap 5: two Ingresses with the same rate count separately", async () => {
  const limit = { "limit-rpm": "1", "limit-burst-multiplier": "1" };
  await serve(ingress("one", "one.example", "web", limit), ingress("two", "two.example", "web", limit));
  const statuses = async (host: string) => [
    (await ask(host)).status,
    (await ask(host)).status,
    (await ask(host)).status,
  ];
  expect(await statuses("one.example")).toEqual([200, 200, 503]);
  expect(await statuses("two.example")).toEqual([200, 200, 503]);
});

test("trap 7: a route that verifies its backend does not reuse an unverified connection", async () => {
  const { certificate, key } = subject.pki.client;
  const pem = (text: string) => Buffer.from(text).toString("base64");
  const data = { "ca.crt": pem(subject.pki.otherca.certificate), "tls.crt": pem(certificate), "tls.key": pem(key) };
  const verifying = {
    "proxy-ssl-secret": "ns/identity",
    "proxy-ssl-verify": "on",
    "proxy-ssl-name": "backend.example",
  };
  await serve(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "identity", namespace: "ns" },
      data,
    } as unknown as KubernetesObject,
    ingress("open", "open.example", "safe", { "backend-protocol": "HTTPS" }),
    ingress("strict", "strict.example", "safe", { "backend-protocol": "HTTPS", ...verifying }),
  );
  for (let at = 0; at < 8; at++) expect((await ask("open.example")).status).toBe(200);
  for (let at = 0; at < 8; at++) expect((await ask("strict.example")).status).toBe(502);
});

test("trap 8: a name that does not resolve affects only the route that has it", async () => {
  const gone = { "auth-url": "http://gone.invalid/auth", "enable-cors": "true" };
  await serve(ingress("dead", "dead.example", "web", gone), ingress("alive", "alive.example", "web"));
  expect((await ask("alive.example")).status).toBe(200);
  // The Ingress need not be set aside, because it answers requests that need no auth service.
  const preflight = await request({ to: subject.to, host: "dead.example", method: "OPTIONS" });
  expect(preflight.status).toBe(204);
});
