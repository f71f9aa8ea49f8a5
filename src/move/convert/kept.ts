/**
 * Finds the hosts that stay with their Ingresses, because routes would not guard them in the same
 * way. An Ingress stays as a whole together with all its hosts, so that no host is served by
 * Ingresses and routes.
 */

import { patternOf } from "../../ask/matcher/pattern.ts";
import { namesGroups } from "../../core/kinds/variables.ts";
import { catchAll, type Location, type Route, type Server } from "../../core/model/configuration.ts";
import type { Ingress } from "../../core/model/objects.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { namedGroups } from "../../core/render/location/named-groups.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { covers } from "../../core/sources/gateway/hostnames.ts";
import { passedLocation } from "../../core/sources/streams/servers.ts";
import type { Translation } from "../../core/table/translator.ts";
import { servicePortOf } from "../../core/table/upstreams/endpoints.ts";
import { isHostname, namesOf } from "./listeners.ts";
import { takesAll } from "./rules.ts";

export interface Kept {
  /** Names of hosts. */
  readonly hosts: ReadonlySet<string>;
  /** `namespace/name` of Ingresses. */
  readonly ingresses: ReadonlySet<string>;
  /** The reason why a host stays, by its name. */
  readonly why: ReadonlyMap<string, string>;
}

export interface KeptOptions {
  readonly annotationsPrefix: string;
  /**
   * `namespace/name` of the Service that answers if no path does. If it is undefined, the
   * built-in backend answers.
   */
  readonly defaultBackend: string | undefined;
  /** `--enable-ssl-passthrough`. */
  readonly passesTls: boolean;
}

export function keptOf(
  servers: readonly Server<FeatureValues>[],
  { ingresses: all, services }: Pick<Snapshot, "ingresses" | "services">,
  { accepted, configuration: { settings }, problems }: Pick<Translation, "accepted" | "configuration" | "problems">,
  { annotationsPrefix: prefix, defaultBackend, passesTls }: KeptOptions,
): Kept {
  const named = servers.flatMap(({ locations }) => locations.map(upstreamNamedBy)).filter((text) => text !== "");
  const keysWithGroups = keysThatNameGroups(settings);
  const blocks = new Set(servers.filter((server) => whyOfBlock(server) !== undefined).map(({ name }) => name));
  const idle = idleAnnotations([...problems.values()].flat());
  const why = new Map(
    servers.flatMap((server) =>
      pairOf(
        server.name,
        (passesTls ? whyPassed(server) : undefined) ??
          whyKept(server) ??
          whyOfGroups(server, all, prefix, idle) ??
          whyOfOperatorsGroups(server, keysWithGroups) ??
          whyBelow(server, blocks) ??
          whyNamed(server, named) ??
          whyOfBackends(server, services),
      ),
    ),
  );
  const hosts = new Set(why.keys());
  const ingresses = new Set<string>();
  const hostsOf = new Map([...accepted].map((key) => [key, hostsIn(all.get(key))] as const));
  for (let grown = hosts.size > 0; grown; ) {
    const before = hosts.size + ingresses.size;
    for (const [key, own] of hostsOf) {
      if (!own.some((host) => hosts.has(host))) continue;
      ingresses.add(key);
      for (const host of own) {
        if (!hosts.has(host)) why.set(host, `shares Ingress ${key} with a host that stays`);
        hosts.add(host);
      }
    }
    for (const [name, above] of belowKept(servers, hosts, defaultBackend)) {
      const whose = above === catchAll ? "the Ingress of all hosts" : `the Ingress of ${above}`;
      why.set(name, `has paths without a rule, which ${whose} would take, because that one stays`);
      hosts.add(name);
    }
    grown = hosts.size + ingresses.size > before;
  }
  return { hosts, ingresses, why };
}

/**
 * Finds hosts whose routes do not take every request, each with a host that stays and would take
 * the other requests. With Ingresses these requests get 404.
 */
function belowKept(
  servers: readonly Server<FeatureValues>[],
  hosts: ReadonlySet<string>,
  defaultBackend: string | undefined,
): readonly (readonly [string, string])[] {
  const kept = servers.filter(({ name }) => hosts.has(name));
  if (kept.length === 0) return [];
  return servers.flatMap((server) => {
    if (hosts.has(server.name) || takesAll(server, defaultBackend)) return [];
    const above = kept.find((one) => namesOf(server).some((name) => takes(one, name)));
    return above === undefined ? [] : [[server.name, above.name] as const];
  });
}

/** Whether the host, or an alias of it, takes a host that matches the name. */
function takes({ name, aliases }: Server<FeatureValues>, other: string): boolean {
  if (name === catchAll) return true;
  return [name, ...aliases.map((alias) => alias.name)].some((one) => {
    if (one.startsWith("~")) return patternOf(one.slice(1))?.test(other) ?? true;
    return isHostname(one) ? covers(one, other) : true;
  });
}

/**
 * Returns the hosts of an Ingress. A canary, or an Ingress without a path of its own, counts as
 * well, because its host-wide annotations would be lost.
 */
function hostsIn(ingress: Ingress | undefined): readonly string[] {
  const { rules = [], defaultBackend } = ingress?.spec ?? {};
  const hosts = rules.map(({ host = "" }) => (host === "" ? catchAll : host.toLowerCase()));
  return defaultBackend === undefined ? hosts : [...hosts, catchAll];
}

const pairOf = (name: string, why: string | undefined): [string, string][] => (why === undefined ? [] : [[name, why]]);

/**
 * Returns the reason if TLS passes through for the host itself, but not for further names that
 * it has. Its routes would not have the same names on both ports.
 */
function whyPassed(server: Server<FeatureValues>): string | undefined {
  if (passedLocation(server) === undefined) return undefined;
  if (server.aliases.length === 0 && server.redirectFrom === undefined) return undefined;
  return "passes TLS through (ssl-passthrough), and nginx ends it for the other names that the host has";
}

/**
 * Returns the reason if the host needs a server block of its own and no route can replace it.
 */
function whyOfBlock({ features }: Server<FeatureValues>): string | undefined {
  if (features.clientCertificate.kind !== "none")
    return "asks for certificates of clients (auth-tls-secret), which no listener does on a port of Ingresses";
  if (features.serverSnippet.text !== "") return "has a server-snippet, which may guard its paths";
  if (features.sslCiphers.ciphers !== undefined || features.sslPreferServerCiphers.ours !== undefined)
    return "has ciphers of its own, and ports of Ingresses have those of the ConfigMap for listeners";
  return undefined;
}

/** Annotations in which routes may use groups of the path as well, or that other checks judge. */
const withGroups: ReadonlySet<string> = new Set(["rewrite-target", "x-forwarded-prefix", "configuration-snippet"]);

/**
 * Returns `namespace/name key` of annotations whose values are not used, so that groups in them do
 * not matter.
 */
function idleAnnotations(problems: readonly Problem[]): ReadonlySet<string> {
  return new Set(
    problems.flatMap((problem) => {
      if (!/^annotation-(unreadable|useless|unknown|removed)$/.test(problem.kind) || !("key" in problem)) return [];
      return [`${problem.object.namespace}/${problem.object.name} ${problem.key}`];
    }),
  );
}

function whyOfGroups(
  { locations }: Server<FeatureValues>,
  ingresses: Snapshot["ingresses"],
  prefix: string,
  idle: ReadonlySet<string>,
): string | undefined {
  const owners = new Set(locations.map(({ owner }) => (owner ? `${owner.namespace}/${owner.name}` : "")));
  for (const key of owners) {
    for (const [name, value] of Object.entries(ingresses.get(key)?.metadata.annotations ?? {})) {
      const own = name.slice(prefix.length + 1);
      if (idle.has(`${key} ${own}`)) continue;
      if (name.startsWith(`${prefix}/`) && !withGroups.has(own) && /\$\{?\d/.test(value))
        return `has a group of the path in ${own}, which means nothing on routes`;
    }
  }
  return undefined;
}

/** Returns the keys of the ConfigMap whose values name groups of the path. */
function keysThatNameGroups({ followed, globalAuthUrl, globalAuthSignin }: Settings): readonly string[] {
  const signin = globalAuthUrl.kind === "ask" ? (globalAuthSignin ?? "") : "";
  const texts = [
    ["add-headers", followed.addHeaders.map(({ value }) => value)],
    ["proxy-set-headers", followed.proxySetHeaders.map(({ value }) => value)],
    ["global-auth-signin", [signin]],
  ] as const;
  return texts.flatMap(([key, values]) => (values.some(namesGroups) ? [key] : []));
}

/**
 * Returns the reason to stay if the operator's values name groups that the host has. Its patterns
 * have groups, and the label of a wildcard counts as a group, too.
 */
function whyOfOperatorsGroups({ name, routes }: Server<FeatureValues>, keys: readonly string[]): string | undefined {
  if (keys.length === 0) return undefined;
  const isGrouped = ({ match, path }: Route) => match === "regex" && /\((?!\?[:=!>#])/.test(path);
  if (!name.startsWith("*.") && !routes.some(isGrouped)) return undefined;
  return `has groups of the path, which ${keys.join(" and ")} of the ConfigMap may name, and they are empty on routes`;
}

/** Returns the snippet if it chooses the Service; else an empty text. */
function upstreamNamedBy({ features: { configurationSnippet } }: Location<FeatureValues>): string {
  const text = String(configurationSnippet.text);
  return /proxy_upstream_name|upstream_balancer/.test(text) ? text : "";
}

/**
 * Returns the reason to stay if a snippet names a Service: it works only if an Ingress uses
 * that Service.
 */
function whyNamed({ locations }: Server<FeatureValues>, snippets: readonly string[]): string | undefined {
  for (const { backends, owner } of locations) {
    const { service, port } = backends[0]!;
    const label = `${owner?.namespace}-${service}-${port}`;
    if (service !== "" && snippets.some((text) => text.includes(label)))
      return `sends to ${label}, which the configuration-snippet of an Ingress names`;
  }
  return undefined;
}

/**
 * Returns the reason to stay below a wildcard with a server block, which would take the requests of
 * routes below it.
 */
function whyBelow({ name }: Server<FeatureValues>, blocks: ReadonlySet<string>): string | undefined {
  const above = name.replace(/^[^.]+/, "*");
  return above !== name && blocks.has(above) ? `lies below ${above}, which has a server block of its own` : undefined;
}

/** Returns the first reason why the host stays; undefined if all of it may be converted. */
function whyKept(server: Server<FeatureValues>): string | undefined {
  const { aliases, appRoot, routes, locations } = server;
  const ofBlock = whyOfBlock(server);
  if (ofBlock !== undefined) return ofBlock;
  const alias = aliases.find(({ name }) => !isHostname(name));
  if (alias !== undefined) return `has the alias ${alias.name}, which is no hostname of the Gateway API`;
  if (appRoot?.includes("$")) return "has variables in app-root, and redirects of routes have none";
  const isRelative = ({ location, match }: Route) =>
    match === "slash" && locations[location]!.features.redirects.relative;
  if (routes.some(isRelative)) return "has relative-redirects, and redirects of routes name scheme and host";
  if (locations.some((location) => upstreamNamedBy(location) !== ""))
    return "has a configuration-snippet that says which Service is asked, and knows Services of Ingresses alone";
  const ofPath = locations.find(isOfPath);
  return ofPath && "has a configuration-snippet that means something only under the path of an Ingress";
}

/**
 * Returns the reason if a backend cannot be converted: its Service is missing or outside of the
 * cluster. There an Ingress answers 503 or sends the request outside, and a route would answer 500.
 */
function whyOfBackends({ locations }: Server<FeatureValues>, services: Snapshot["services"]): string | undefined {
  for (const { backends, features } of locations) {
    const { key, port } = backends[0]!;
    if (key === "" || features.redirects.elsewhere !== undefined) continue;
    const service = services.get(key);
    if (service === undefined) return `sends to Service ${key}, which is missing`;
    if (service.spec?.type === "ExternalName")
      return `sends to Service ${key} of type ExternalName, which routes may not`;
    if (servicePortOf(service, port) === undefined && service.spec?.ports === undefined)
      return `sends to port ${port} of Service ${key}, whose number is not known: give the Service to sluice convert, too`;
    if (servicePortOf(service, port) === undefined) return `sends to port ${port} of Service ${key}, which is missing`;
  }
  return undefined;
}

/** Whether a snippet has locations, rewrites the path and goes on, or uses groups of the path. */
function isOfPath(location: Location<FeatureValues>): boolean {
  const { needsPath, namesGroups, rewrites } = location.features.configurationSnippet;
  // After such a rewrite, the rewrite of the Ingress starts from a path that routes do not know.
  return needsPath || namesGroups || rewrites || namedGroups(location).length > 0;
}
