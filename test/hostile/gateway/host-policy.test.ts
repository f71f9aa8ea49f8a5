/**
 * Hosts that the host policy gives to `ns`, on the shared Gateway. The attacker in `evil` may add
 * listeners and routes of every kind, and all of them are older than those of `ns`.
 */
import { connect as connectTls } from "node:tls";
import { beforeEach, expect, test } from "vitest";
import type { GatewayListener } from "../../../src/core/model/gateway/objects.ts";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { request } from "../../nginx/support/request.ts";
import {
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  listenerSet,
  namespace,
  type RouteSketch,
  route,
} from "../../support/gateways.ts";
import { configMap, ingress, secret, service } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";
import { pki } from "../tenants/authority.ts";

const flags = ["--shared-gateway=ns/gw", "--gateway-addresses=192.0.2.72", "--host-policy=infra/hosts"];
const world = worldOf({ mode: "dynamic", flags });
const all = { namespaces: { from: "All" } } as const;
const hosts = ["route.given.example", "ingress.given.example"];

const tls = (certificates = "pair"): Partial<GatewayListener> => ({
  ...{ port: 443, protocol: "HTTPS", allowedRoutes: all },
  tls: { certificateRefs: [{ group: "", kind: "Secret", name: certificates }] },
});
const pairOf = (home: string, name: "tls" | "alt") =>
  secret("pair", { "tls.crt": pki[name].certificate, "tls.key": pki[name].key }, home);

const own = [
  ...[gatewayClass(), namespace("ns"), namespace("evil"), pairOf("ns", "tls"), pairOf("evil", "alt")],
  gateway({
    listeners: [listener({ allowedRoutes: all }), listener({ name: "tls", ...tls() })],
    spec: { allowedListeners: all } as never,
  }),
  route({ name: "own", hostnames: ["route.given.example"] }),
  ingress({ name: "own", host: "ingress.given.example", day: 20, tls: "pair" }),
];

beforeEach(() =>
  world.apply(
    ...service("web", world.auth.address, world.auth.port, "evil"),
    ...own,
    configMap("hosts", { ns: "route.given.example .given.example" }, "infra"),
  ),
);

/** Older than everything of `ns`. */
const evil = (words: RouteSketch): KubernetesObject =>
  route({
    name: "evil",
    namespace: "evil",
    age: 1e8,
    parent: { kind: "ListenerSet", name: "set", namespace: "evil" },
    ...words,
  });
const evilSet = (...listeners: readonly Partial<GatewayListener>[]) =>
  listenerSet({
    namespace: "evil",
    age: 1e8,
    listeners: listeners.map((one, at) => listener({ name: `l${at}`, allowedRoutes: all, ...one })),
  });

async function served(host: string): Promise<string> {
  const secure = await request({ to: `192.0.2.1:${ports.https}`, host, sni: host }).catch(String);
  return typeof secure === "string" ? secure : `${secure.status} ${secure.body} ${secure.certificate}`;
}

/** The certificate that a client sees which names the host. */
const shown = (servername: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connectTls({ host: "192.0.2.1", port: ports.https, servername, rejectUnauthorized: false });
    socket.on("secureConnect", () => {
      resolve(String(socket.getPeerCertificate().subject?.CN));
      socket.destroy();
    });
    socket.on("error", ({ message }) => resolve(message));
  });

async function allIsWell(what: string): Promise<void> {
  for (const host of hosts) {
    expect.soft([what, host, await served(host)]).toEqual([what, host, "200 secret tls.example"]);
    expect.soft([what, host, await shown(host)]).toEqual([what, host, "tls.example"]);
  }
  expect.soft([what, (await world.ask("route.given.example")).body]).toEqual([what, "secret"]);
  expect.soft([what, world.auth.asked]).toEqual([what, []]);
}

const names = ["route.given.example", "ROUTE.given.example", "ingress.given.example"];
const wide = ["*.given.example", "*.example"];

test("listeners of a set in another namespace get no host that the policy gives away, with or without routes", async () => {
  for (const hostname of [...names, ...wide]) {
    const set = evilSet({ hostname }, { ...tls(), hostname });
    await world.apply(set);
    await allIsWell(`a set with ${hostname}`);
    expect
      .soft(world.problemsOf("set").join())
      .toMatch(/spec\.listeners\[0\]\.hostname: the host policy gives \S*given\.example to namespace ns alone/);
    await world.apply(evil({ hostnames: [hostname] }), evil({ name: "wide" }));
    await allIsWell(`a set with ${hostname} and routes`);
    await world.remove(set);
  }
});

test("a set in another namespace has its own hosts, and one in the Gateway's namespace has all of its hosts", async () => {
  const own = { hostname: "evil.example" };
  await world.apply(evilSet(own, { ...tls(), ...own }), evil({ hostnames: ["evil.example"] }));
  expect(await served("evil.example")).toBe("200 let in alt.example");
  const near = listener({ name: "near", hostname: "near.given.example", allowedRoutes: all });
  await world.apply(
    listenerSet({ listeners: [near] }),
    route({ name: "near", parent: { kind: "ListenerSet", name: "set" }, hostnames: ["near.given.example"] }),
  );
  expect((await world.ask("near.given.example")).body).toBe("secret");
});

test("the listeners are served as soon as the policy permits them, and only as long", async () => {
  const hostname = "moved.given.example";
  await world.apply(evilSet({ hostname }), evil({ hostnames: [hostname] }));
  expect((await world.ask(hostname)).status).toBe(404);
  await world.apply(configMap("hosts", { ns: ".given.example", evil: hostname }, "infra"));
  expect((await world.ask(hostname)).body).toBe("let in");
  await world.apply(configMap("hosts", { ns: ".given.example" }, "infra"));
  expect((await world.ask(hostname)).status).toBe(404);
});

test("no route of any kind gets a host of another namespace, at any listener", async () => {
  const parent = { kind: "Gateway", name: "gw", namespace: "ns" } as const;
  for (const hostname of [...names, ...wide]) {
    await world.apply(
      evil({ parent, hostnames: [hostname] }),
      grpcRoute({ namespace: "evil", age: 1e8, parent, hostnames: [hostname] }),
      {
        ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "TLSRoute" },
        metadata: { name: "evil", namespace: "evil", uid: "evil-tls", creationTimestamp: "2020-01-01T00:00:00Z" },
        spec: {
          parentRefs: [{ kind: "ListenerSet", name: "set", namespace: "evil" }],
          hostnames: [hostname.toLowerCase()],
          rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
        },
      } as KubernetesObject,
      evilSet({ port: 443, protocol: "TLS", tls: { mode: "Passthrough" }, hostname }),
    );
    await allIsWell(`routes for ${hostname}`);
    const call = { "content-type": "application/grpc" };
    const { body } = await world.ask("route.given.example", "/a.B/C", { method: "POST", headers: call });
    expect.soft([hostname, body]).toEqual([hostname, "secret"]);
  }
});

test("no Ingress gets a host of another namespace by a rule, an alias, a tls section or a redirect", async () => {
  const spec = ingress({ name: "evil", host: "other.evil.example" }).spec!;
  await world.apply(
    ingress({ name: "rule", namespace: "evil", host: "route.given.example" }),
    ingress({
      ...{ name: "alias", namespace: "evil", host: "a.evil.example" },
      annotations: { "server-alias": "route.given.example,.given.example,ingress.given.example" },
    }),
    ingress({
      ...{ name: "twin", namespace: "evil", host: "www.ingress.given.example" },
      annotations: { "from-to-www-redirect": "true" },
    }),
    ingress({ name: "tls", namespace: "evil", spec: { ...spec, tls: [{ hosts, secretName: "pair" }] } }),
  );
  await allIsWell("Ingresses");
  expect((await world.ask("x.given.example")).status).toBe(404);
  expect((await world.ask("www.ingress.given.example")).status).toBe(404);
});
