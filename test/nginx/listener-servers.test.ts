/**
 * Tests RouteSettings of listeners that nginx reads in a server block: server snippets, ciphers and
 * client certificates. Each such listener has a block of its own, beside those of its port.
 */
import { once } from "node:events";
import { Agent } from "node:https";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Seen } from "../support/echo-backend.ts";
import {
  bySettings,
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  namespace,
  route,
  routeSettings,
} from "../support/gateways.ts";
import { type KeyPair, type Pki, sharedPki } from "../support/pki.ts";
import { request, requestHttp2 } from "./support/request.ts";
import { type Stand, startStand } from "./support/stand.ts";
import { offered, sessionOf } from "./support/tls-session.ts";

const address = "192.0.2.96";
const to = "192.0.2.97:18910";
const plainTo = "192.0.2.97:18911";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const secret = (name: string, data: Readonly<Record<string, string>>): KubernetesObject =>
  ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "ns" }, data }) as KubernetesObject;

let pki: Pki;
let stand: Stand;
let secrets: readonly KubernetesObject[];

beforeAll(async () => {
  pki = await sharedPki();
  const { ca, otherca, tls } = pki;
  secrets = [
    secret("tls", { "tls.crt": base64(tls.certificate), "tls.key": base64(tls.key) }),
    secret("ca", { "ca.crt": base64(ca.certificate) }),
    secret("otherca", { "ca.crt": base64(otherca.certificate) }),
  ];
  stand = await startStand({
    mode: "dynamic",
    port: 8691,
    address,
    settings: { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" },
    flags: ["--gateway-addresses=192.0.2.97"],
  });
});
afterAll(() => stand.stop());

const secure = (name: string, hostname: string, port = 18_910) =>
  listener({
    name,
    port,
    protocol: "HTTPS",
    ...(hostname === "" ? {} : { hostname }),
    tls: { certificateRefs: [{ name: "tls" }] },
  });

/** Applies a Gateway with these listeners, and a route on all of them. */
async function apply(hostnames: Readonly<Record<string, string>>, ...more: readonly KubernetesObject[]): Promise<void> {
  const listeners = Object.entries(hostnames).map(([name, hostname]) => secure(name, hostname));
  const plain = listener({ name: "plain", port: 18_911 });
  const world = [gatewayClass(), namespace("ns"), gateway({ listeners: [...listeners, plain] }), route({})];
  await stand.apply(...world, ...secrets, ...more);
}

const at = (name: string, values: Readonly<Record<string, string>>, settings = "own") =>
  routeSettings({ name: settings, to: [["Gateway", "gw", name]], values });

interface Client {
  readonly sni?: string;
  readonly pair?: KeyPair;
  readonly path?: string;
}

/** Returns the status, and the request as the backend saw it. */
async function ask(host: string, { sni = host, pair, path = "/" }: Client = {}) {
  const agent = pair === undefined ? undefined : new Agent({ cert: pair.certificate, key: pair.key });
  const { status, headers, body } = await request({ to, host, sni, path, ...(agent === undefined ? {} : { agent }) });
  agent?.destroy();
  const seen = status === 200 && body.startsWith("{") ? (JSON.parse(body) as Seen) : undefined;
  return { status, headers, body, seen: seen?.headers };
}

const statusOf = async (host: string, client: Client = {}): Promise<number> => (await ask(host, client)).status;

describe("client certificates of listeners", () => {
  const certain = { "auth-tls-secret": "ns/ca" };
  const other = { "auth-tls-secret": "ns/otherca" };

  test("are required of clients of the listener's hosts alone", async () => {
    await apply({ guarded: "a.example", open: "*.example" }, at("guarded", certain));
    expect(await statusOf("a.example"), "no certificate").toBe(400);
    expect(await statusOf("a.example", { pair: pki.stranger }), "one of strangers").toBe(400);
    const known = await ask("a.example", { pair: pki.client });
    expect(known.seen).toMatchObject({ "ssl-client-verify": "SUCCESS", "ssl-client-subject-dn": "CN=client one" });
    expect(known.seen).not.toHaveProperty("ssl-client-cert");
    const free = await ask("b.example");
    expect([free.status, free.seen?.["ssl-client-verify"]]).toEqual([200, undefined]);
    expect(await statusOf("a.example", { sni: "b.example" }), "by another name in the handshake").toBe(421);
    expect(await statusOf("a.example", { sni: "b.example", pair: pki.client })).toBe(421);
    expect(await statusOf("b.example", { sni: "a.example", pair: pki.client })).toBe(421);
    expect(await statusOf("a.example", { sni: "" }), "by none").toBe(400);
    expect(await statusOf("A.EXAMPLE.", { sni: "a.example" }), "in capitals").toBe(400);
    const second = await requestHttp2({ to, sni: "b.example", host: "a.example" });
    expect(second.status, "on a connection of HTTP/2").toBe(421);
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "are not replaced by a session over %s with another listener",
    async (version) => {
      await apply(
        { guarded: "a.example", open: "b.example", strange: "c.example" },
        at("guarded", certain),
        at("strange", other, "more"),
      );
      const guarded = { to, host: "a.example", version };
      for (const [host, pair] of [["b.example"], ["c.example", pki.stranger]] as const) {
        const session = await sessionOf({ to, host, version, pair });
        const { text, isResumed } = await offered(guarded, session);
        expect.soft([text.slice(0, 12), isResumed], host).toEqual(["HTTP/1.1 400", false]);
      }
    },
  );

  test.each([
    ["a wildcard", "*.example", 404],
    ["all names", "", 400],
  ] as const)("at a listener for %s do not affect hosts of other listeners", async (_, hostname, status) => {
    const settings = at("guarded", { ...certain, "auth-tls-pass-certificate-to-upstream": "true" });
    await apply({ guarded: hostname, open: "a.example", more: "*.b.example" }, settings);
    expect(await statusOf("a.example")).toBe(200);
    expect(await statusOf("x.b.example")).toBe(200);
    expect(await statusOf("c.example")).toBe(400);
    expect(await statusOf("x.c.example")).toBe(400);
    expect(await statusOf("c.example", { sni: "a.example" })).toBe(421);
    const known = await ask("x.c.example", { pair: pki.client });
    expect(decodeURIComponent(String(known.seen?.["ssl-client-cert"]))).toBe(pki.client.certificate);
    expect(await statusOf("elsewhere.test"), "a name of no other listener").toBe(status);
  });

  test("are required at all listeners of a Gateway that has the settings, and plain http is refused", async () => {
    const settings = routeSettings({
      to: [["Gateway", "gw"]],
      values: { ...certain, "auth-tls-match-cn": "CN=client" },
    });
    await apply({ one: "a.example", two: "b.example" }, settings);
    for (const host of ["a.example", "b.example"]) {
      expect(await statusOf(host)).toBe(400);
      expect(await statusOf(host, { pair: pki.client })).toBe(200);
    }
    expect((await request({ to: plainTo, host: "a.example" })).status).toBe(403);
    const strict = { ...certain, "auth-tls-match-cn": "CN=somebody" };
    await apply({ one: "a.example", two: "b.example" }, routeSettings({ to: [["Gateway", "gw"]], values: strict }));
    expect(await statusOf("a.example", { pair: pki.client }), "another name").toBe(403);
  });

  test("are required by the stricter of two settings with the same authorities, and no request passes where these differ", async () => {
    const lenient = { ...certain, "auth-tls-verify-client": "optional" };
    const whole = (values: Readonly<Record<string, string>>) => routeSettings({ to: [["Gateway", "gw"]], values });
    await apply({ one: "a.example", two: "b.example" }, at("one", lenient), whole(certain));
    expect(await statusOf("a.example"), "the stricter counts").toBe(400);
    await apply({ one: "a.example", two: "b.example" }, at("one", { "auth-tls-secret": "ns/otherca" }), whole(certain));
    expect([await statusOf("a.example"), await statusOf("a.example", { pair: pki.client })]).toEqual([503, 503]);
    expect(stand.problemsOf("own").join()).toContain("cannot hold together with that of RouteSettings ns/settings");
    expect(await statusOf("b.example", { pair: pki.client }), "the other listener has one").toBe(200);
  });

  test("cannot be skipped by a session of an open listener (CVE-2025-23419)", async () => {
    await apply({ guarded: "a.example", open: "*.example" }, at("guarded", certain));
    const [host = "", port] = to.split(":");
    const handshake = async (servername: string, session?: Buffer) => {
      const options = { host, port: Number(port), servername, rejectUnauthorized: false, ...(session && { session }) };
      const socket = connect({ ...options, maxVersion: "TLSv1.2" });
      await once(socket, "secureConnect");
      const met = { session: socket.getSession(), isResumed: socket.isSessionReused() };
      socket.destroy();
      return met;
    };
    const { session } = await handshake("b.example");
    for (const name of ["a.example", "b.example"]) expect((await handshake(name, session)).isResumed).toBe(false);
  });

  test("from an unusable Secret let no request pass, and removing the settings opens the hosts", async () => {
    await apply({ guarded: "a.example", open: "b.example" }, at("guarded", { "auth-tls-secret": "ns/gone" }));
    expect([await statusOf("a.example", { pair: pki.client }), await statusOf("b.example")]).toEqual([403, 200]);
    expect(stand.problemsOf("own").join()).toContain("Secret ns/gone");
    await apply({ guarded: "a.example", open: "b.example" });
    expect(await statusOf("a.example")).toBe(200);
  });
});

test("a port that verifies clients itself continues to, and other authorities beside it let no request pass", async () => {
  const refs = [{ group: "", kind: "ConfigMap", name: "ca" }];
  const frontend = { default: { validation: { caCertificateRefs: refs } } };
  const listeners = [secure("own", "a.example"), secure("open", "*.example")];
  const data = { "ca.crt": pki.ca.certificate };
  const authorities = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ca", namespace: "ns" }, data };
  const checking = gateway({ listeners, spec: { tls: { frontend } } as never });
  const serve = (values: Readonly<Record<string, string>>) =>
    stand.apply(
      ...[gatewayClass(), namespace("ns"), checking, route({}), ...secrets],
      ...[authorities as KubernetesObject, at("own", values)],
    );
  await serve({ "server-snippet": "more_set_headers 'X-Own: yes';" });
  const known = await ask("a.example", { pair: pki.client });
  expect([known.status, known.headers["x-own"]]).toEqual([200, "yes"]);
  await expect(ask("a.example"), "no certificate").rejects.toThrow();
  await expect(ask("a.example", { pair: pki.stranger })).rejects.toThrow();
  await serve({ "auth-tls-secret": "ns/otherca" });
  expect(await statusOf("a.example", { pair: pki.client })).toBe(503);
  await expect(ask("a.example", { pair: pki.stranger })).rejects.toThrow();
  expect(await statusOf("b.example", { pair: pki.client })).toBe(200);
  expect(stand.problemsOf("own").join()).toContain("spec.tls.frontend of the Gateway checks");
});

test("ciphers are those of the listener with the name in the handshake", async () => {
  const values = { "ssl-ciphers": "ECDHE-ECDSA-AES256-GCM-SHA384", "ssl-prefer-server-ciphers": "true" };
  await apply({ own: "a.example", open: "*.example" }, at("own", values));
  const offered = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384";
  expect(await cipherOf("a.example", offered)).toBe("ECDHE-ECDSA-AES256-GCM-SHA384");
  expect(await cipherOf("b.example", offered)).toBe("ECDHE-ECDSA-AES128-GCM-SHA256");
  expect(await cipherOf("a.example", "ECDHE-ECDSA-AES128-GCM-SHA256")).toBe("refused");
});

async function cipherOf(servername: string, ciphers: string): Promise<string> {
  const [host = "", port] = to.split(":");
  const options = { host, port: Number(port), servername, ciphers, rejectUnauthorized: false };
  const socket = connect({ ...options, maxVersion: "TLSv1.2" });
  const refused = once(socket, "error").then(() => "refused");
  const met = once(socket, "secureConnect").then(() => socket.getCipher().name);
  met.catch(() => {});
  const name = await Promise.race([met, refused]).catch(() => "refused");
  refused.catch(() => {});
  socket.destroy();
  return name;
}

describe("a server snippet of a listener", () => {
  const snippet = "location = /robots.txt { return 200 'ours'; }\nmore_set_headers 'X-Own: yes';";

  test("applies to the hosts of its listener, before any of their rules", async () => {
    await apply({ own: "a.example", open: "*.example" }, at("own", { "server-snippet": snippet }));
    const [robots, other] = [await ask("a.example", { path: "/robots.txt" }), await ask("a.example")];
    expect([robots.status, robots.body]).toEqual([200, "ours"]);
    expect([other.status, other.headers["x-own"]]).toEqual([200, "yes"]);
    const beside = await ask("b.example", { path: "/robots.txt" });
    expect([beside.seen?.host, beside.headers["x-own"]]).toEqual(["b.example", undefined]);
    expect(await statusOf("a.example, b.example", { sni: "a.example", path: "/robots.txt" })).toBe(400);
  });

  test("closes only its own listener when nginx refuses it", async () => {
    await apply({ own: "a.example", open: "*.example" }, at("own", { "server-snippet": "rewrite_log maybe;" }));
    expect(await statusOf("a.example")).toBe(503);
    expect(await statusOf("b.example")).toBe(200);
    expect(stand.problemsOf("own").join()).toContain("nginx refused it");
  });

  test("applies together with that of its Gateway, and one of a rule is refused", async () => {
    const whole = routeSettings({
      to: [["Gateway", "gw"]],
      values: { "server-snippet": "more_set_headers 'X-All: a';" },
    });
    await apply({ own: "a.example", open: "*.example" }, at("own", { "server-snippet": snippet }), whole);
    const own = await ask("a.example");
    expect([own.headers["x-own"], own.headers["x-all"]]).toEqual(["yes", "a"]);
    const other = await ask("b.example");
    expect([other.headers["x-own"], other.headers["x-all"]]).toEqual([undefined, "a"]);
    const rule = route({
      name: "rule",
      hostnames: ["c.example"],
      rules: [{ filters: [bySettings("inner")], backendRefs: [{ name: "web", port: 80 }] }],
    });
    const inner = routeSettings({ name: "inner", values: { "server-snippet": snippet } });
    await apply({ own: "a.example", open: "*.example" }, rule, inner);
    expect(await statusOf("c.example")).toBe(503);
  });
});

test("settings of a ListenerSet apply to its listeners alone", async () => {
  const set = listenerSet({ listeners: [secure("theirs", "set.example")] });
  const settings = routeSettings({ to: [["ListenerSet", "set"]], values: { "auth-tls-secret": "ns/ca" } });
  const gatewayed = gateway({
    listeners: [secure("open", "*.example")],
    spec: { allowedListeners: { namespaces: { from: "Same" } } } as never,
  });
  const toSet = route({ name: "to-set", parent: { kind: "ListenerSet", name: "set" } });
  await stand.apply(gatewayClass(), namespace("ns"), gatewayed, set, settings, route({}), toSet, ...secrets);
  expect(await statusOf("set.example")).toBe(400);
  expect(await statusOf("set.example", { pair: pki.client })).toBe(200);
  expect(await statusOf("a.example")).toBe(200);
});
