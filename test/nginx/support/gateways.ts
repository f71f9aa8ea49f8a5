/**
 * Serves listeners of Gateways on a real nginx: the test writes Configurations, and the real
 * renderer renders them. Backends listen on 127.101.0.N:9000 and answer with the request as JSON.
 * nginx listens on the ports of the Configuration.
 */

import { once } from "node:events";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { machineFlags } from "../../../src/controller/flags/options.ts";
import { defaultFlags } from "../../../src/controller/flags.ts";
import { machineOf } from "../../../src/controller/machine.ts";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import {
  type Certificate,
  type Configuration,
  catchAll,
  type Endpoint,
  type Location,
  type Route,
  type Server,
  type Upstream,
  type WeightedBackend,
} from "../../../src/core/model/configuration.ts";
import { type Listener, type ListenerPort, serverKey } from "../../../src/core/model/listeners.ts";
import type { RecordChange } from "../../../src/core/model/records.ts";
import { Table } from "../../../src/core/model/table.ts";
import { unannotated } from "../../../src/core/policies/read.ts";
import type { FeatureValues } from "../../../src/core/policies/registry.ts";
import { compileTemplate } from "../../../src/core/render/compile-template.ts";
import { DynamicRenderer } from "../../../src/core/render/dynamic/renderer.ts";
import { defaultSettings, type Settings } from "../../../src/core/settings/registry.ts";
import type { Machine } from "../../../src/core/tokens/machine.ts";
import { Channel } from "../../../src/nginx/channel.ts";
import { Pass, placeHere } from "../../../src/nginx/index.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/nginx/template/files.ts";
import { type TestNginx, testNginx } from "./nginx.ts";

type Whole = Configuration<Settings, FeatureValues>;

export interface Seen {
  /** Last byte of the backend's address. */
  readonly backend: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Gateways {
  readonly nginx: TestNginx;
  /**
   * Replaces the ports, hosts and certificates, and returns whether nginx was reloaded for that.
   */
  put(parts: GatewayParts): Promise<boolean>;
  /** Serves a whole Configuration; with `keepsText` nginx keeps its text and gets the data. */
  serve(configuration: Whole, keepsText?: boolean): Promise<boolean>;
  readonly machine: Machine;
  /** The records that were published, by key. */
  readonly records: ReadonlyMap<string, string>;
  /** nginx's counts of routes in shadow. */
  shadow(): Promise<string>;
  /** The requests that backends saw since the last call, oldest first. */
  seen(): readonly Seen[];
}

export interface GatewayParts {
  readonly ports: readonly ListenerPort[];
  readonly hosts: readonly Server<FeatureValues>[];
  readonly certificates?: readonly Certificate[];
  /** Ids of listeners that leave the certificate of their hostname to an Ingress. */
  readonly yielding?: readonly string[];
  readonly settings?: Partial<Settings>;
  /** Ids of Upstreams without endpoints; all others are `bN`, on 127.101.0.N. */
  readonly empty?: readonly string[];
  /** Endpoints of further Upstreams, by id. */
  readonly endpoints?: Readonly<Record<string, Endpoint>>;
  /** More Upstreams: their endpoints by their ids. */
  readonly upstreams?: Readonly<Record<string, readonly string[]>>;
}

export const owner = (kind: string, name: string) => ({ apiVersion: "", kind, namespace: "shop", name });

/**
 * Makes a ListenerPort of the Gateway `shop/NAME`. Its listeners have these hostnames, by their
 * names.
 */
export function port(
  name: string,
  address: string | undefined,
  listenPort: number,
  hostnames: Readonly<Record<string, string>>,
  more: Partial<ListenerPort> & { readonly pairs?: readonly string[] } = {},
): ListenerPort {
  const { pairs = [], ...rest } = more;
  const listeners = Object.entries(hostnames).map(
    ([one, hostname]): Listener => ({
      id: `shop/${name}/${one}`,
      name: one,
      gateway: `shop/${name}`,
      hostname,
      certificates: pairs,
    }),
  );
  return {
    id: `shop/${name}:${listenPort}`,
    address,
    listenPort,
    port: listenPort,
    tls: false,
    owners: [owner("Gateway", name)],
    listeners,
    ...rest,
  };
}

export interface Rule extends Partial<Omit<Location<FeatureValues>, "backends">> {
  readonly to: readonly (Partial<WeightedBackend> & { readonly upstream: string })[];
  readonly routes: readonly (Omit<Route, "location" | "match"> & { readonly match: "exact" | "prefix" | "pattern" })[];
}

const features = unannotated(defaultSettings);

/** Makes a host of a listener, with its rules in their order. */
export function host(listener: string, name: string, rules: readonly Rule[]): Server<FeatureValues> {
  return {
    listener,
    name,
    aliases: [],
    redirectFrom: undefined,
    certificate: undefined,
    tlsConfigured: false,
    appRoot: undefined,
    features,
    locations: rules.map(({ to, routes: _, ...more }) => ({ ...plain, ...more, backends: to.map(backend) })),
    routes: rules.flatMap(({ routes }, location) => routes.map((route) => ({ ...route, location }) as Route)),
  };
}

/** Makes the routes of a prefix, such as `/shop` and everything below it. */
export const prefix = (path: string, more: Partial<Route> = {}): Rule["routes"] =>
  path === "/"
    ? [{ ...more, match: "prefix", path: "/" } as Rule["routes"][number]]
    : ([
        { ...more, match: "exact", path },
        { ...more, match: "prefix", path: `${path}/` },
      ] as Rule["routes"]);

const backend = ({ upstream, ...more }: Partial<WeightedBackend> & { readonly upstream: string }): WeightedBackend => ({
  upstream,
  key: `shop/${upstream}`,
  service: upstream,
  port: "80",
  weight: 1,
  ...more,
});

const plain: Location<FeatureValues> = {
  path: "/",
  owner: owner("HTTPRoute", "web"),
  ownerUid: undefined,
  backends: [],
  features,
  standIn: undefined,
  canaries: [],
  timed: false,
  closed: undefined,
};

const unknownHosts: Server<FeatureValues> = {
  ...host("", catchAll, [{ to: [{ upstream: "none" }], owner: undefined, routes: prefix("/") }]),
};

const backends = [1, 2, 3, 4];

/**
 * `ports` are four that nginx and the controller need besides those of the Configuration; `base` is
 * the first of them.
 */
export async function startGateways(
  base: number,
  luaFolderOf?: (folder: string) => string,
  more: Partial<ReturnType<typeof defaultFlags>> = {},
): Promise<Gateways> {
  const nginx = await testNginx();
  const seen: Seen[] = [];
  nginx.expectError(/upstream timed out/);
  const servers = await Promise.all(backends.map((n) => backendOn(n, seen)));
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!compiled.ok) throw new Error(compiled.why);
  const flags = {
    ...defaultFlags("run"),
    httpPort: base,
    httpsPort: base + 1,
    defaultServerPort: base + 2,
    statusPort: base + 3,
    ...more,
  };
  const logs = { accessLog: "/dev/null", errorLog: "stderr" };
  const machine = machineOf(nginx.capabilities, placeHere(), nginx.folder, machineFlags(flags, logs));
  const paths = luaFolderOf === undefined ? machine.paths : { ...machine.paths, lua: luaFolderOf(machine.paths.lua) };
  const renderer = new DynamicRenderer({ ...machine, cpus: 2, paths }, compiled.template);
  const fake = await fakeCertificate(new Date());
  const channel = new Channel(nginx.folder.controlSocket, await Pass.issue(nginx.folder.controllerPass));
  onTestFinished(async () => {
    await channel.close();
    for (const server of servers) server.close();
    await nginx.stop();
  });
  let last = "";
  const published = new Map<string, string>();
  return {
    nginx,
    machine,
    records: published,
    shadow: () => channel.shadow(),
    seen: () => seen.splice(0),
    put: (parts) => serve(configurationOf(parts, fake)),
    serve,
  };

  async function serve(configuration: Whole, keepsText = false): Promise<boolean> {
    const { text, records } = renderer.render(configuration);
    const isNew = text.generation !== last && !keepsText;
    const changes = [...records].map(([key, { value }]): RecordChange => [key, value]);
    for (const [key, value] of changes) value === undefined ? published.delete(key) : published.set(key, value);
    const reload = async () => {
      const outcome = await nginx.nginx.apply(text, new AbortController().signal);
      if (outcome.kind === "refused") throw new Error(outcome.stderr);
      if (outcome.kind === "unreachable") throw outcome.cause;
    };
    if (isNew) await reload();
    if (isNew) last = text.generation;
    const outcome = await channel.publish(changes);
    if (outcome.kind !== "published") throw new Error(outcome.kind);
    return isNew;
  }
}

export function configurationOf(parts: GatewayParts, fake: Certificate): Whole {
  const { ports, hosts, certificates = [], settings = {}, empty = [], endpoints = {}, upstreams: others = {} } = parts;
  const upstreams: Upstream[] = [
    ...backends.map((n) => ({ id: `b${n}`, endpoints: [{ address: `127.101.0.${n}`, port: 9000 }] })),
    { id: "h2", endpoints: [{ address: "127.101.0.7", port: 9001 }] },
    { id: "h2s", endpoints: [{ address: "127.101.0.7", port: 9002 }] },
    ...Object.entries(endpoints).map(([id, endpoint]) => ({ id, endpoints: [endpoint] })),
    ...Object.entries(others).map(([id, endpoints]) => ({ id, endpoints: endpoints.map(endpointOf) })),
    ...["none", "default", ...empty].map((id) => ({ id, endpoints: [] })),
  ].map((one) => ({ ...one, label: `shop-${one.id}-80`, balance: { algorithm: "round_robin" } }));
  const all = [{ ...unknownHosts, listener: undefined } as unknown as Server<FeatureValues>, ...hosts];
  return {
    settings: { ...defaultSettings, ...settings },
    servers: Table.empty<Server<FeatureValues>>().with(all.map((one) => [keyOf(one), one] as const)),
    shadows: Table.empty<Server<FeatureValues>>(),
    yieldingListeners: new Set(parts.yielding),
    listenerPorts: Table.empty<ListenerPort>().with(ports.map((one) => [one.id, one] as const)),
    upstreams: Table.empty<Upstream>().with(upstreams.map((one) => [one.id, one] as const)),
    certificates: Table.empty<Certificate>().with(certificates.map((one) => [one.id, one] as const)),
    defaultCertificate: fake,
    staples: Table.empty(),
    streams: [],
    streamSnippets: [],
  };
}

function endpointOf(text: string): Upstream["endpoints"][number] {
  const [address = "", endpointPort] = text.split(":");
  return { address, port: Number(endpointPort) };
}

const keyOf = (server: Server<FeatureValues>): string => serverKey(server);

async function backendOn(n: number, seen: Seen[]): Promise<HttpServer> {
  // nginx keeps connections for a minute. With a shorter time here, nginx might use a connection
  // that the backend is just closing.
  const server = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    const one = { ...describe(request), backend: n, body: await text(request) };
    seen.push(one);
    const query = new URL(request.url ?? "/", "http://x").searchParams;
    const wait = Number(query.get("wait") ?? 0);
    const answer = () => {
      for (const pair of query.getAll("header")) response.appendHeader(...(pair.split(":") as [string, string]));
      response.statusCode = Number(query.get("status") ?? 200);
      response.end(JSON.stringify(one));
    };
    if (wait > 0) setTimeout(answer, wait);
    else answer();
  });
  server.listen(9000, `127.101.0.${n}`);
  await once(server, "listening");
  return server;
}

function describe({ method = "", url = "", rawHeaders }: IncomingMessage) {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    headers[name] = headers[name] === undefined ? rawHeaders[at + 1]! : `${headers[name]}, ${rawHeaders[at + 1]!}`;
  }
  return { method, url, headers };
}

/** Starts a backend that accepts only HTTP/2 without TLS. It ends with the test. */
export async function http2Backend(n: number, atPort: number): Promise<void> {
  const server = createHttp2Server((request, response) => {
    response.end(JSON.stringify({ backend: n, method: request.method, url: request.url, http: request.httpVersion }));
  }).listen(atPort, `127.101.0.${n}`);
  onTestFinished(() => {
    server.close();
  });
  await once(server, "listening");
}
