/**
 * What users do: applications, routes, certificates, settings, and mistakes. To add something, add
 * a line to `users` with its name, how often it is drawn, and a function.
 */
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Chance } from "../support/chance.ts";
import { gateway, gatewayClass, grant, listener, namespace, route } from "../support/gateways.ts";
import { ingress, ingressClass } from "../support/ingress.ts";
import type { Stored } from "./api/server.ts";
import type { Kind } from "./history.ts";
import { brokenDirective } from "./machine/nginx.ts";
import { pairs } from "./pairs.ts";
import type { World } from "./world.ts";

const hosts = ["a.example", "b.example", "c.example", "d.example", "*.w.example"];
const tenants = ["red", "blue"];
const services = ["web", "api", "old"];
const paths = ["/", "/x", "/x/y"];
const secrets = ["login", "ca", "tls-a", "tls-b"];

/** Makes the world before the controllers start. */
export function settle(world: World, chance: Chance): void {
  const { server } = world;
  for (const one of [ingressClass, gatewayClass(), ...["infra", ...tenants, "sluice"].map((name) => namespace(name))])
    server.put(one as KubernetesObject);
  settings(world, {});
  for (const tenant of tenants)
    for (const name of services) {
      service(world, tenant, name);
      endpoints(world, tenant, name, 1 + chance.below(2), chance);
    }
  for (const tenant of tenants) for (const name of secrets) secret(world, tenant, name, chance);
  putGateway(world, {});
  for (const host of hosts.slice(0, 2 + chance.below(3)))
    chance.share() < 0.6 ? putIngress(world, host, chance) : putRoute(world, host, chance);
  for (const host of hosts)
    for (const target of paths) {
      const name = host.replace("*", "any");
      world.probes.push({ scheme: "http", host: name, target });
      if (target === "/") world.probes.push({ scheme: "https", host: name, target });
    }
}

function put(world: World, object: object): void {
  world.server.put(object as KubernetesObject);
}

function settings(world: World, data: Record<string, string>): void {
  const permitted = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
  const metadata = { name: "settings", namespace: "sluice" };
  put(world, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { ...permitted, ...data } });
}

function service(world: World, home: string, name: string, spec: object = { ports: [{ port: 80 }] }): void {
  put(world, { apiVersion: "v1", kind: "Service", metadata: { name, namespace: home }, spec });
}

function endpoints(world: World, home: string, name: string, count: number, chance: Chance): void {
  const all = Array.from(
    { length: count },
    () => `10.${home === "red" ? 1 : 2}.${chance.below(250)}.${1 + chance.below(250)}`,
  );
  slice(world, home, name, all);
}

function slice(world: World, home: string, name: string, addresses: readonly string[]): void {
  put(world, {
    ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
    metadata: { name: `${name}-1`, namespace: home, labels: { "kubernetes.io/service-name": name } },
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ port: 8080, protocol: "TCP" }],
  });
}

const addressesIn = (found: Stored | undefined): readonly string[] =>
  ((found as { endpoints?: readonly { addresses: readonly string[] }[] } | undefined)?.endpoints ?? []).flatMap(
    (one) => one.addresses,
  );

function secret(world: World, home: string, name: string, chance: Chance): void {
  const { certificate, key } = chance.oneOf(pairs);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data =
    name === "login"
      ? { auth: base64(`user:{PLAIN}${chance.below(1_000)}\n`) }
      : name === "ca"
        ? { "ca.crt": base64(certificate) }
        : { "tls.crt": base64(certificate), "tls.key": base64(key) };
  const type = name.startsWith("tls") ? "kubernetes.io/tls" : "Opaque";
  put(world, { apiVersion: "v1", kind: "Secret", type, metadata: { name, namespace: home }, data });
}

/** Annotations that change the text of a path, its record, its guards, or the text of its host. */
const annotations: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { "proxy-body-size": "5m" },
  { "proxy-read-timeout": "7" },
  { "rewrite-target": "/new" },
  { "ssl-redirect": "false" },
  { "auth-type": "basic", "auth-secret": "login" },
  { "auth-type": "basic", "auth-secret": "login", "proxy-body-size": "3m" },
  { "whitelist-source-range": "10.0.0.0/8" },
  { "auth-url": "http://auth.example/check" },
  { "auth-tls-secret": "red/ca", "auth-tls-verify-client": "on" },
  { "configuration-snippet": "more_set_headers 'X-A: b';" },
  { "permanent-redirect": "https://else.example" },
  { "upstream-hash-by": "$request_uri" },
  { "enable-cors": "true" },
  { "limit-rps": "5" },
];

function putIngress(world: World, host: string, chance: Chance, name = `to-${host.replace("*", "any")}`): void {
  const tenant = tenantOf(host);
  const drawn = paths.filter((path) => path === "/" || chance.share() < 0.4);
  put(
    world,
    ingress({
      ...{ name, namespace: tenant, host },
      paths: drawn.map((path) => [path, chance.oneOf(services)] as const),
      annotations: chance.oneOf(annotations),
      tls: chance.share() < 0.4 ? chance.oneOf(["tls-a", "tls-b"]) : undefined,
    }),
  );
}

/** Each host belongs to one tenant. */
const tenantOf = (host: string): string => tenants[hosts.indexOf(host) % tenants.length]!;

function putRoute(world: World, host: string, chance: Chance): void {
  const own = tenantOf(host);
  const backend = () => ({ name: chance.oneOf(services), port: 80, weight: 1 + chance.below(3) });
  const other = tenants.find((one) => one !== own);
  const refs = [backend(), ...(chance.share() < 0.4 ? [backend()] : [])].map((one) =>
    chance.share() < 0.15 ? { ...one, namespace: other } : one,
  );
  const filters = [
    {
      type: "RequestHeaderModifier",
      requestHeaderModifier: { set: [{ name: "X-A", value: String(chance.below(9)) }] },
    },
    { type: "RequestRedirect", requestRedirect: { hostname: "else.example" } },
    { type: "URLRewrite", urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/new" } } },
  ];
  const filter = chance.share() < 0.3 ? [chance.oneOf(filters)] : [];
  const isRedirect = filter.some(({ type }) => type === "RequestRedirect");
  const rules = paths
    .filter((path) => path === "/" || chance.share() < 0.4)
    .map((value, at) => ({
      matches: [{ path: { type: "PathPrefix", value } }],
      ...(at === 0 ? { filters: filter } : {}),
      ...(at === 0 && isRedirect ? {} : { backendRefs: at === 0 ? refs : [backend()] }),
    }));
  const { metadata, ...rest } = route({
    name: `to-${host.replace("*", "any")}`,
    namespace: own,
    hostnames: [host],
    rules,
  });
  const parentRefs = [{ name: "gw", namespace: "infra" }];
  put(world, { ...rest, metadata: { name: metadata.name, namespace: own }, spec: { ...rest.spec, parentRefs } });
}

function putGateway(world: World, more: object): void {
  const all = { allowedRoutes: { namespaces: { from: "All" as const } } };
  const { spec, ...rest } = gateway({ listeners: [listener({ ...all, ...more })] });
  put(world, { ...rest, metadata: { name: "gw", namespace: "infra" }, spec });
}

function remove(world: World, kind: string, chance: Chance): undefined | false {
  const all = world.server.all(kind);
  if (all.length === 0) return false;
  const { namespace: home, name } = chance.oneOf(all).metadata;
  world.server.remove(kind, `${home}/${name}`);
  return undefined;
}

/** Writes another host, now or later, so that a change of both APIs meets. */
const later = (world: World, ms: number, work: () => void): void => void world.time.after(ms, work);

export const users: readonly Kind<World>[] = [
  { name: "writes an Ingress", weight: 6, run: (world, chance) => putIngress(world, chance.oneOf(hosts), chance) },
  { name: "writes a route", weight: 6, run: (world, chance) => putRoute(world, chance.oneOf(hosts), chance) },
  { name: "deletes an Ingress", weight: 2, run: (world, chance) => remove(world, "Ingress", chance) },
  { name: "deletes a route", weight: 2, run: (world, chance) => remove(world, "HTTPRoute", chance) },
  {
    name: "moves a host to the other API",
    weight: 3,
    run(world, chance) {
      const host = chance.oneOf(hosts);
      const key = `${tenantOf(host)}/to-${host.replace("*", "any")}`;
      const isIngress = world.server.get("Ingress", key) !== undefined;
      isIngress ? putRoute(world, host, chance) : putIngress(world, host, chance);
      later(world, chance.below(500), () => world.server.remove(isIngress ? "Ingress" : "HTTPRoute", key));
    },
  },
  {
    name: "rolls a Service out",
    weight: 4,
    run(world, chance) {
      const [home, name] = [chance.oneOf(tenants), chance.oneOf(services)];
      for (let round = 0; round < 3; round++)
        later(world, round * chance.below(800), () => {
          const old = addressesIn(world.server.get("EndpointSlice", `${home}/${name}-1`));
          slice(world, home, name, [...old.slice(1), `10.9.${chance.below(250)}.${1 + chance.below(250)}`]);
        });
    },
  },
  {
    name: "scales a Service",
    weight: 2,
    run: (world, chance) => endpoints(world, chance.oneOf(tenants), chance.oneOf(services), chance.below(4), chance),
  },
  {
    name: "deletes a Service and makes it again",
    weight: 1,
    run(world, chance) {
      const [home, name] = [chance.oneOf(tenants), chance.oneOf(services)];
      world.server.remove("Service", `${home}/${name}`);
      later(world, chance.below(3_000), () => service(world, home, name));
    },
  },
  {
    name: "changes the protocol of a Service",
    weight: 1,
    run: (world, chance) =>
      service(world, chance.oneOf(tenants), chance.oneOf(services), {
        ports: [{ port: 80, appProtocol: chance.oneOf(["http", "kubernetes.io/h2c", "https"]) }],
      }),
  },
  {
    name: "lets a Service stand for a name",
    weight: 1,
    run(world, chance) {
      const spec = { type: "ExternalName", externalName: "far.example", ports: [{ port: 80 }] };
      service(world, chance.oneOf(tenants), "old", spec);
    },
  },
  {
    name: "moves a name",
    weight: 1,
    run(world, chance) {
      const addresses = [`192.0.2.${1 + chance.below(200)}`];
      world.names.set("far.example", addresses);
      world.oracle.names("far.example", addresses);
    },
  },
  {
    name: "rotates a Secret",
    weight: 3,
    run: (world, chance) => secret(world, chance.oneOf(tenants), chance.oneOf(secrets), chance),
  },
  {
    name: "deletes a Secret and makes it again",
    weight: 1,
    run(world, chance) {
      const [home, name] = [chance.oneOf(tenants), chance.oneOf(secrets)];
      world.server.remove("Secret", `${home}/${name}`);
      later(world, chance.below(3_000), () => secret(world, home, name, chance));
    },
  },
  {
    name: "edits the settings",
    weight: 2,
    run: (world, chance) =>
      settings(world, chance.oneOf([{}, { "proxy-body-size": "9m" }, { "ssl-redirect": "false" }, { hsts: "false" }])),
  },
  {
    name: "edits the Gateway",
    weight: 2,
    run: (world, chance) => putGateway(world, chance.oneOf([{}, { hostname: "*.example" }])),
  },
  {
    name: "deletes the Gateway and makes it again",
    weight: 1,
    run(world, chance) {
      world.server.remove("Gateway", "infra/gw");
      later(world, chance.below(3_000), () => putGateway(world, {}));
    },
  },
  {
    name: "grants",
    weight: 2,
    run(world, chance) {
      const [from, to] = chance.oneOf([tenants, tenants.toReversed()]) as [string, string];
      const object = grant({ namespace: to, from: "HTTPRoute", to: "Service" });
      put(world, { ...object, spec: { ...object.spec, from: [{ ...object.spec!.from![0], namespace: from }] } });
    },
  },
  { name: "takes a grant back", weight: 1, run: (world, chance) => remove(world, "ReferenceGrant", chance) },
  {
    name: "labels an object",
    weight: 1,
    run(world, chance) {
      const all = [...world.server.all("Ingress"), ...world.server.all("HTTPRoute")];
      if (all.length === 0) return false;
      const found = chance.oneOf(all);
      const labels = { drawn: String(chance.below(1_000)) };
      put(world, { ...found, metadata: { ...found.metadata, labels } });
      return undefined;
    },
  },
  {
    name: "writes a snippet that nginx refuses",
    weight: 1,
    run(world, chance) {
      const host = chance.oneOf(hosts);
      const snippet = { "configuration-snippet": `${brokenDirective} on;` };
      const name = `to-${host.replace("*", "any")}`;
      put(world, ingress({ name, namespace: tenantOf(host), host, annotations: snippet }));
      // What is served instead depends on what nginx has accepted before.
      world.doubtful.set(host.replace("*", "any"), Number.POSITIVE_INFINITY);
      later(world, 500 + chance.below(8_000), () => {
        putIngress(world, host, chance, name);
        world.doubtful.set(host.replace("*", "any"), world.time.now + 15_000);
      });
    },
  },
  {
    name: "writes a value that cannot be read",
    weight: 1,
    run(world, chance) {
      const host = chance.oneOf(hosts);
      const wrong = chance.oneOf([{ "proxy-body-size": "much" }, { "whitelist-source-range": "nobody" }]);
      put(
        world,
        ingress({ name: `to-${host.replace("*", "any")}`, namespace: tenantOf(host), host, annotations: wrong }),
      );
    },
  },
];
