/**
 * Bodies that an auth service has to see (`forwardBody`). A client must not be able to send the
 * backend a body that the auth service has not seen.
 */
import { once } from "node:events";
import { createServer } from "node:http2";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { KubernetesObject, Service } from "../../../src/core/model/objects.ts";
import { requestHttp2 } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, listener, route } from "../../support/gateways.ts";
import { secret, service } from "../support/objects.ts";
import { type World, worldOf } from "../support/world.ts";
import { pki } from "../tenants/authority.ts";

const address = "192.0.2.73";
const world = worldOf({ mode: "dynamic", flags: [`--gateway-addresses=${address}`] });
const to = `${address}:443`;
const host = "a.example";
const received: string[] = [];
const overHttp2 = createServer();

beforeAll(async () => {
  overHttp2.on("stream", async (stream) => {
    received.push(await text(stream));
    stream.respond({ ":status": 200 }, { endStream: true });
  });
  overHttp2.listen(4_181, "192.0.2.63");
  await once(overHttp2, "listening");
});
afterAll(() => void overHttp2.close());

beforeEach(() => {
  received.splice(0);
  const tls = { certificateRefs: [{ group: "", kind: "Secret", name: "pair" }] };
  const externalAuth = { protocol: "HTTP", backendRef: { name: "auth", port: 80 }, forwardBody: { maxSize: 100 } };
  const filters = [{ type: "ExternalAuth", externalAuth }];
  const path = (value: string) => [{ path: { type: "PathPrefix", value } }];
  const [h2c, ...slices] = service("h2c", "192.0.2.63", 4_181) as [Service, ...KubernetesObject[]];
  const ports = h2c.spec!.ports!.map((one) => ({ ...one, appProtocol: "kubernetes.io/h2c" }));
  const changed: Service = { ...h2c, spec: { ...h2c.spec, ports } };
  return world.apply(
    ...[gatewayClass(), secret("pair", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key })],
    gateway({ listeners: [listener({ name: "tls", port: 443, protocol: "HTTPS", tls })] }),
    ...[...service("auth", world.auth.address, world.auth.port), changed, ...slices],
    route({
      hostnames: [host],
      rules: [
        { matches: path("/"), backendRefs: [{ name: "web", port: 80 }], filters },
        { matches: path("/h2c"), backendRefs: [{ name: "h2c", port: 80 }], filters },
      ],
    }),
  );
});

const bodiesOf = ({ asked }: World["auth"]) => asked.map(({ body }) => body);

test.each(["GET", "HEAD", "DELETE", "OPTIONS", "POST"])(
  "no body of %s over HTTP/2 without a length reaches a backend unseen",
  async (method) => {
    const isRefused = method !== "GET" && method !== "HEAD";
    for (const path of ["/", "/h2c"]) {
      const { status } = await requestHttp2({ to, sni: host, host, path, method, body: "hidden" });
      expect.soft([path, status]).toEqual([path, isRefused ? 413 : 200]);
    }
    const none = isRefused ? [] : [""];
    expect([bodiesOf(world.auth), bodiesOf(world.backend), received]).toEqual([[...none, ...none], none, none]);
  },
);

test("a body with a length is seen by the auth service and by the backend", async () => {
  for (const method of ["GET", "POST"]) {
    const headers = { "content-length": "4" };
    const all = { to, sni: host, host, method, headers, body: "seen" };
    expect((await requestHttp2(all)).status).toBe(200);
    expect((await requestHttp2({ ...all, path: "/h2c" })).status).toBe(200);
  }
  const four = ["seen", "seen", "seen", "seen"];
  expect([bodiesOf(world.auth), bodiesOf(world.backend), received]).toEqual([four, four.slice(2), four.slice(2)]);
});
