/**
 * Hosts that stay with their Ingresses, because no route would guard them alike. An Ingress stays
 * as a whole, and with it all hosts that it has, so that no host is served by both.
 */
import type { FeatureValues } from "../annotations/registry.ts";
import { configurationSnippet } from "../annotations/snippets.ts";
import { patternOf } from "../decide/pattern.ts";
import { catchAll, type Route, type Server } from "../model/configuration.ts";
import type { Ingress } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { covers } from "../translate/gateway/hostnames.ts";
import { servicePortOf } from "../translate/upstreams/endpoints.ts";
import { isHostname, namesOf } from "./listeners.ts";
import { takesAll } from "./rules.ts";

export interface Kept {
  /** Names of hosts. */
  readonly hosts: ReadonlySet<string>;
  /** `namespace/name` of Ingresses. */
  readonly ingresses: ReadonlySet<string>;
  /** By the hosts for which others stay as well. */
  readonly why: ReadonlyMap<string, string>;
}

/**
 * `accepted` are the keys of the Ingresses that are ours, and `defaultBackend` is the Service that
 * answers where no path does.
 */
export function keptOf(
  servers: readonly Server<FeatureValues>[],
  { ingresses: all, services }: Pick<Snapshot, "ingresses" | "services">,
  accepted: ReadonlySet<string>,
  defaultBackend: string | undefined,
): Kept {
  const why = new Map(
    servers.flatMap((server) => pairOf(server.name, whyKept(server) ?? whyOfBackends(server, services))),
  );
  const hosts = new Set(why.keys());
  const ingresses = new Set<string>();
  const hostsOf = new Map([...accepted].map((key) => [key, hostsIn(all.get(key))] as const));
  for (let grown = hosts.size > 0; grown; ) {
    const before = hosts.size + ingresses.size;
    for (const [key, own] of hostsOf) {
      if (!own.some((host) => hosts.has(host))) continue;
      ingresses.add(key);
      for (const host of own) hosts.add(host);
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
 * Hosts whose routes leave requests over, with the host that stays and would take these. An Ingress
 * answers them 404 by itself.
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

/** Whether the host, or an alias of it, takes some host that has the name. */
function takes({ name, aliases }: Server<FeatureValues>, other: string): boolean {
  if (name === catchAll) return true;
  return [name, ...aliases.map((alias) => alias.name)].some((one) => {
    if (one.startsWith("~")) return patternOf(one.slice(1))?.test(other) ?? true;
    return isHostname(one) ? covers(one, other) : true;
  });
}

/**
 * Canaries and Ingresses whose paths others have count, too: what they say of the host would be
 * lost without them.
 */
function hostsIn(ingress: Ingress | undefined): readonly string[] {
  const { rules = [], defaultBackend } = ingress?.spec ?? {};
  const hosts = rules.map(({ host = "" }) => (host === "" ? catchAll : host.toLowerCase()));
  return defaultBackend === undefined ? hosts : [...hosts, catchAll];
}

const pairOf = (name: string, why: string | undefined): [string, string][] => (why === undefined ? [] : [[name, why]]);

/** Undefined where all of the host may be converted. The first reason is enough. */
function whyKept({ features, aliases, appRoot, routes, locations }: Server<FeatureValues>): string | undefined {
  if (features.clientCertificate.kind !== "none")
    return "asks for certificates of clients (auth-tls-secret), which Gateways do for whole ports";
  if (features.serverSnippet.text !== "") return "has a server-snippet, which may guard its paths";
  if (features.sslCiphers.ciphers !== undefined || features.sslPreferServerCiphers.ours !== undefined)
    return "has ciphers of its own, and ports of Gateways have those of the ConfigMap";
  const alias = aliases.find(({ name }) => !isHostname(name));
  if (alias !== undefined) return `has the alias ${alias.name}, which is no hostname of the Gateway API`;
  if (appRoot?.includes("$")) return "has variables in app-root, and redirects of routes have none";
  const isRelative = ({ location, match }: Route) =>
    match === "slash" && locations[location]!.features.redirects.relative;
  if (routes.some(isRelative)) return "has relative-redirects, and redirects of routes name scheme and host";
  const ofPath = locations.find(({ features: { configurationSnippet } }) => isOfPath(configurationSnippet));
  return ofPath && "has a configuration-snippet that means something only under the path of an Ingress";
}

/** What an Ingress answers with 503, or sends to a host outside, a route answers with 500. */
function whyOfBackends({ locations }: Server<FeatureValues>, services: Snapshot["services"]): string | undefined {
  for (const { backends, features } of locations) {
    const { key, port } = backends[0]!;
    if (key === "" || features.redirects.elsewhere !== undefined) continue;
    const service = services.get(key);
    if (service === undefined) return `sends to Service ${key}, which is missing`;
    if (service.spec?.type === "ExternalName")
      return `sends to Service ${key} of type ExternalName, which routes may not`;
    if (servicePortOf(service, port) === undefined) return `sends to port ${port} of Service ${key}, which is missing`;
  }
  return undefined;
}

/** Locations in a snippet, and groups of the path that it names. */
function isOfPath(snippet: FeatureValues["configurationSnippet"]): boolean {
  return configurationSnippet.needsPath?.(snippet) === true || configurationSnippet.namesGroups?.(snippet) === true;
}
