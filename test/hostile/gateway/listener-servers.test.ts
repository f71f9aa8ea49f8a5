/**
 * Settings of listeners that become part of a server block: hostile values of them, and those of a
 * ListenerSet of another namespace. The Gateway's other listener, `honest`, stays as it is.
 */
import { Agent } from "node:https";
import { beforeEach, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { drawn } from "../../support/drawn.ts";
import {
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  namespace,
  route,
  routeSettings,
} from "../../support/gateways.ts";
import { hostileObjects } from "../search/objects.ts";
import { intruders } from "../support/corpus.ts";
import { settings as operator, secret } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";
import { pki } from "../tenants/authority.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.74"] });
const to = "192.0.2.74:443";
const prefix = "nginx.ingress.kubernetes.io/";
const all = { namespaces: { from: "All" } } as const;

const secure = (name: string, hostname?: string) =>
  listener({
    ...{ name, port: 443, protocol: "HTTPS", allowedRoutes: all },
    ...(hostname === undefined ? {} : { hostname }),
    tls: { certificateRefs: [{ name: "tls" }] },
  });
const pair = (home: string) => secret("tls", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key }, home);
const gatewayOf = (listeners: Parameters<typeof gateway>[0]["listeners"] & object) =>
  gateway({ listeners, spec: { allowedListeners: all } as never });

beforeEach(() =>
  world.apply(
    ...[gatewayClass(), namespace("ns"), namespace("evil"), pair("ns"), pair("evil")],
    secret("ca", { "ca.crt": pki.ca.certificate }),
    route({ name: "honest" }),
  ),
);

const ask = async (host: string, sni = host) => (await request({ to, host, sni })).status;

/** All names of the servers that listen on the address. */
function serverNames(): readonly string[] {
  const http = world.tree().find(({ name }) => name === "http");
  const servers = (http?.block ?? []).filter(({ name }) => name === "server");
  const listen = ({ name, args }: { name: string; args: readonly string[] }) =>
    name === "listen" && args[0]?.startsWith("192.0.2.74:");
  return servers
    .filter(({ block = [] }) => block.some(listen))
    .flatMap(({ block = [] }) => block.flatMap(({ name, args }) => (name === "server_name" ? args : [])));
}

/** Text that a server block contains and a location does not. */
const hostWide = /^(?:auth-tls-|ssl-|server-snippet$)/;

test("hostile values add no configuration, and get no other name", async () => {
  const { seed, numRuns } = drawn(400);
  const found = hostileObjects(seed, 0, numRuns).flatMap(({ name, objects }) => {
    const annotations = objects.find(({ kind }) => kind === "Ingress")?.metadata.annotations ?? {};
    const named = Object.entries(annotations).map(([key, text]) => [key.slice(prefix.length), text] as const);
    const values = named.filter(([key]) => hostWide.test(key));
    if (values.length === 0) return [];
    const others = objects.filter(({ kind }) => kind === "Secret" || kind === "ConfigMap");
    return [{ name, others, values: Object.fromEntries(values) }];
  });
  // A Gateway has at most 64 listeners, and one of them is honest.
  found.splice(63);
  expect(found.length).toBeGreaterThan(5);
  const names = found.map(({ name }) => `${name}.example`);
  const listeners = [secure("honest", "honest.test"), ...found.map(({ name }) => secure(name, `${name}.example`))];
  const attached = found.map(({ name, values }) => routeSettings({ name, values, to: [["Gateway", "gw", name]] }));
  await world.apply(gatewayOf(listeners), ...found.flatMap(({ others }) => others), ...attached);
  expect(intruders(world.tree())).toEqual([]);
  expect(await ask("honest.test")).toBe(200);
  const strange = serverNames().filter((name) => !["_", "~.", "honest.test", ...names].includes(name));
  expect(strange).toEqual([]);
});

test("a set in another namespace requests certificates from no other clients, and uses no authorities without a grant", async () => {
  const set = listenerSet({ namespace: "evil", listeners: [secure("evil", "*.victim.example")] });
  const own = { "auth-tls-secret": "ns/ca", "ssl-ciphers": "ECDHE-ECDSA-AES256-GCM-SHA384" };
  const settings = routeSettings({ namespace: "evil", to: [["ListenerSet", "set"]], values: own });
  const toSet = route({
    ...{ name: "evil", namespace: "evil", age: -1e8, parent: { kind: "ListenerSet", name: "set", namespace: "evil" } },
    rules: [
      {
        filters: [
          { type: "RequestRedirect", requestRedirect: { path: { type: "ReplaceFullPath", replaceFullPath: "/x" } } },
        ],
      },
    ],
  });
  await world.apply(gatewayOf([secure("honest", "shop.victim.example")]), set, settings, toSet);
  expect(await ask("shop.victim.example")).toBe(200);
  expect(await ask("evil.victim.example"), "no grant: nobody gets in").toBe(403);
  expect(await ask("shop.victim.example", "evil.victim.example"), "the wrong connection").toBe(421);
});

test.each(["", "a/b", ".honest.test", "honest.test\n"])(
  "a handshake with the name %j shows its certificate to the authorities of no other listener",
  async (sni) => {
    const permitted = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
    const theirs = { "auth-tls-secret": "evil/otherca" };
    const guarded = { "auth-tls-secret": "ns/ca", "server-snippet": "location = /snippet { return 200 secret; }" };
    await world.apply(
      ...[operator(permitted), secret("otherca", { "ca.crt": pki.otherca.certificate }, "evil")],
      gatewayOf([secure("honest", "honest.test")]),
      listenerSet({ namespace: "evil", listeners: [secure("evil")] }),
      routeSettings({ name: "theirs", namespace: "evil", to: [["ListenerSet", "set"]], values: theirs }),
      routeSettings({ name: "own", to: [["Gateway", "gw", "honest"]], values: guarded }),
    );
    const strange = new Agent({ cert: pki.stranger.certificate, key: pki.stranger.key });
    for (const path of ["/", "/snippet"]) {
      const { status, body } = await request({ to, host: "honest.test", path, sni, agent: strange });
      expect.soft([status, body.includes("secret")], path).toEqual([421, false]);
    }
    const known = new Agent({ cert: pki.client.certificate, key: pki.client.key });
    expect((await request({ to, host: "honest.test", sni: "honest.test", agent: known })).body).toBe("secret");
  },
);

test("a snippet without permission closes its own listener and is written nowhere", async () => {
  const values = { "server-snippet": "server_name honest.test; location / { return 200 pwned; }" };
  const settings = routeSettings({ to: [["Gateway", "gw", "evil"]], values });
  await world.apply(gatewayOf([secure("honest", "honest.test"), secure("evil", "evil.example")]), settings);
  expect(intruders(world.tree())).toEqual([]);
  expect([await ask("honest.test"), await ask("evil.example")]).toEqual([200, 503]);
});

test("a permitted snippet that names a host of another listener does not move it into its own block", async () => {
  const permitted = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
  const values = { "server-snippet": "server_name honest.test; more_set_headers 'X-Own: yes';" };
  const settings = routeSettings({ to: [["Gateway", "gw", "evil"]], values });
  const listeners = [secure("honest", "honest.test"), secure("evil", "evil.example")];
  await world.apply(operator(permitted), gatewayOf(listeners), settings);
  expect([await ask("honest.test"), await ask("evil.example")]).toEqual([421, 200]);
});

test("a listener serves no client without the certificate that its Gateway demands, on an error page either", async () => {
  const demanded = { "auth-tls-secret": "ns/ca" };
  const known = new Agent({ cert: pki.client.certificate, key: pki.client.key });
  for (const page of ["/page", "@page", "/nginx_status", "help.example/page"]) {
    await world.apply(
      gatewayOf([secure("honest", "honest.test"), secure("evil", "evil.test")]),
      routeSettings({ name: "wide", values: demanded, to: [["Gateway", "gw"]] }),
      routeSettings({ values: { ...demanded, "auth-tls-error-page": page }, to: [["Gateway", "gw", "evil"]] }),
    );
    const status = page.startsWith("help") ? 302 : 400;
    expect.soft([page, await ask("evil.test"), await ask("honest.test")]).toEqual([page, status, 400]);
    expect.soft((await request({ to, host: "evil.test", sni: "evil.test", agent: known })).body).toBe("secret");
    expect.soft(world.backend.asked.map(({ url }) => url)).toEqual(["/"]);
    world.backend.forget();
  }
});
