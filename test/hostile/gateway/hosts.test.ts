/**
 * Texts in place of a host, on every kind of listener and of port: a text that RFC 3986 forbids, or
 * that is longer than a name in DNS, is answered 400. No redirect, auth service or backend gets it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { raw, requestHttp2 } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, listener, namespace, route, routeSettings } from "../../support/gateways.ts";
import { ingress, secret } from "../support/objects.ts";
import { statuses } from "../support/raw.ts";
import { ports, startWorld, type World } from "../support/world.ts";
import { pki } from "../tenants/authority.ts";

const labels = (bytes: number) => "a.".repeat(bytes).slice(0, bytes).replace(/\.$/, "b");
const below = (text: string) => `${text}.wild.example`;
/** The longest name that DNS allows, below the wildcard of a listener. */
const longest = `${labels(253 - ".wild.example".length)}.wild.example`;

const strange: readonly (readonly [what: string, host: string])[] = [
  ["a query", below("evil.com?")],
  ["a fragment", below("evil.com#")],
  ["credentials", below("u@evil.com")],
  ...["\\", '"', "<", ">", "^", "`", "{", "|", "}", "\u00e9"].map((sign) => [sign, below(`a${sign}b`)] as const),
  ["one character too many", `a${longest}`],
  ["3,950 labels", below(labels(7_900))],
  ["7,900 letters", "a".repeat(7_900)],
];

const pool = "192.0.2.75";
/** Where requests arrive, and whether a route takes a host that no hostname names. */
const places: readonly (readonly [what: string, to: string])[] = [
  ["a listener with a wildcard", `${pool}:80`],
  ["a listener without a hostname", `${pool}:81`],
  ["a listener with one exact hostname", `${pool}:82`],
  ["a port that routes and Ingresses share", `192.0.2.1:${ports.http}`],
];

let world: World;
beforeAll(async () => {
  world = await startWorld({
    mode: "dynamic",
    flags: ["--shared-gateway=ns/shared", `--gateway-addresses=${pool}`],
  });
  world.auth.answer = (_request, response) => response.end();
  const tls = { certificateRefs: [{ name: "tls" }] };
  const https = { port: 443, protocol: "HTTPS", tls } as const;
  await world.apply(
    ...[gatewayClass(), namespace("ns"), secret("tls", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key })],
    gateway({
      listeners: [
        listener({ name: "wild", hostname: "*.wild.example" }),
        listener({ name: "any", port: 81 }),
        listener({ name: "exact", port: 82, hostname: "exact.example" }),
        listener({ name: "secure", hostname: "*.wild.example", ...https }),
        listener({ name: "apart", hostname: "*.apart.example", ...https }),
      ],
    }),
    routeSettings({
      name: "apart",
      values: { "ssl-ciphers": "ECDHE-RSA-AES128-GCM-SHA256" },
      to: [["Gateway", "gw", "apart"]],
    }),
    route({
      name: "away",
      rules: [
        { filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https", statusCode: 302 } }] },
        { backendRefs: [{ name: "web", port: 80 }], matches: [{ path: { value: "/x" } }] },
      ],
    }),
    routeSettings({
      name: "asks",
      values: { "auth-url": `${world.auth.origin}/check?h=$host` },
      to: [["HTTPRoute", "away"]],
    }),
    gateway({ name: "shared", listeners: [listener({ hostname: "*.wild.example" })] }),
    route({ name: "beside", parent: { name: "shared" } }),
    ingress({ name: "below", host: "*.below.example" }),
  );
});
afterAll(() => world.stop());

function forget(): void {
  world.backend.forget();
  world.auth.forget();
}
const asked = () => [...world.backend.asked, ...world.auth.asked].length;
const send = (to: string, head: string) => raw(to, `${head}\r\nConnection: close\r\n\r\n`);

describe.each(places)("%s", (_place, to) => {
  test.each(strange)("answers 400 to %s in the host", async (_what, host) => {
    for (const path of ["/", "/x"]) {
      forget();
      expect(statuses(await send(to, `GET ${path} HTTP/1.1\r\nHost: ${host}`))).toEqual([400]);
      expect(statuses(await send(to, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: 192.0.2.9`))).toEqual([
        400,
      ]);
      expect(asked()).toBe(0);
    }
  });

  test("answers a request of HTTP/1.0 without a host as before", async () => {
    expect(statuses(await send(to, "GET /x HTTP/1.0"))).not.toEqual([400]);
  });
});

test("the longest name of DNS is served", async () => {
  expect(statuses(await send(`${pool}:80`, `GET /x HTTP/1.1\r\nHost: ${longest}`))).toEqual([200]);
  expect(statuses(await send(`${pool}:80`, `GET /x HTTP/1.1\r\nHost: ${longest}.:80`))).toEqual([200]);
});

test.each(["secure.wild.example", "one.apart.example"])(
  "over HTTP/2 of %s, a strange host is answered 400",
  async (sni) => {
    const above = sni.slice(sni.indexOf("."));
    const ask = (host: string) => requestHttp2({ to: `${pool}:443`, sni, host, path: "/x" });
    expect((await ask(sni)).status).toBe(200);
    for (const host of [`evil.com?${above}`, `${labels(7_900)}${above}`]) {
      forget();
      expect((await ask(host)).status).toBe(400);
      expect(asked()).toBe(0);
    }
  },
);
