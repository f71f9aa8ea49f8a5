/**
 * Makes the servers of nginx's stream module: TCP and UDP services from their two ConfigMaps
 * (RS-27), and hosts whose TLS passes through (RS-26). All of them are text, so they are made
 * together whenever something on which they depend has changed.
 */

import { bugWords, guarded } from "../../../base/guarded.ts";
import { catchAll, type Endpoint, type Location, type Server, type StreamServer } from "../../model/configuration.ts";
import { backendOf } from "../../model/location.ts";
import { missing } from "../../model/missing.ts";
import type { Service, ServicePort } from "../../model/objects.ts";
import type { Owner } from "../../model/owner.ts";
import type { Mistake, Problem } from "../../model/problem.ts";
import type { Table } from "../../model/table.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Refusal } from "../../table/quarantine.ts";
import type { EndpointsAnswer } from "../../table/upstreams/endpoints.ts";
import { servicePortOf } from "../../table/upstreams/endpoints.ts";

export interface StreamWorld {
  service(key: string): Service | undefined;
  endpoints(service: string, port: ServicePort, protocol: "TCP" | "UDP"): EndpointsAnswer;
  /** Returns another listener on a port; undefined if there is none. */
  taken(kind: "tcp" | "udp", port: number): string | undefined;
  /** Returns a Gateway or a ListenerSet that has the port on an address of its own. */
  elsewhere(kind: "tcp" | "udp", port: number): string | undefined;
  /**
   * Returns nginx's refusal of this text for a port such as `tcp/5432`; undefined if nginx did
   * not refuse it.
   */
  refusal(port: string, text: string): Refusal | undefined;
}

export interface PortServers {
  readonly servers: readonly StreamServer[];
  readonly problems: readonly Problem[];
}

/**
 * Makes the servers of one ConfigMap. `data` is that of the ConfigMap `object`: each external port
 * has a value like `namespace/service:port[:PROXY[:PROXY]]`.
 */
export function portServers(
  kind: "tcp" | "udp",
  data: Readonly<Record<string, string>>,
  object: Owner,
  world: StreamWorld,
): PortServers {
  const servers: StreamServer[] = [];
  const problems: Problem[] = [];
  for (const [key, text] of Object.entries(data).sort(([a], [b]) => Number(a) - Number(b))) {
    const refusal = world.refusal(`${kind}/${key}`, text);
    if (refusal?.suspected) continue;
    const read = guarded(() => readPort(kind, key, text, object, world), ofBug);
    if (!("label" in read)) {
      const again = " before its entry is written anew or the controller starts again";
      const done = `the port is not opened${refusal === undefined ? "" : again}`;
      problems.push({ object, field: `data.${key}`, ...read, done });
    } else servers.push(read);
  }
  return { servers, problems };
}

const unusable = (why: string): Mistake => ({ kind: "value-unusable", why });
const ofBug = (bug: Error) =>
  unusable(`Sluice failed on it (${bugWords(bug)}), which is a bug in Sluice: please report it`);

/** Returns a StreamServer, or the reason why there is none. */
function readPort(
  kind: "tcp" | "udp",
  key: string,
  text: string,
  owner: Owner,
  world: StreamWorld,
): Extract<StreamServer, { label: string }> | Mistake {
  // `05432` would be the same port as `5432`, and nginx refuses a port that occurs twice.
  const port = /^[1-9]\d{0,4}$/.test(key) ? Number(key) : 0;
  if (port === 0 || port > 65_535) return unusable(`${JSON.stringify(key)} is not a port number`);
  const taken = world.taken(kind, port);
  if (taken !== undefined) return { kind: "claim-lost", why: `port ${port} is taken by ${taken}` };
  const refusal = world.refusal(`${kind}/${port}`, text);
  if (refusal !== undefined) return unusable(whyRefused(refusal, port, world.elsewhere(kind, port)));
  const parts = /^([^/:\s]+)\/([^/:\s]+):([^/:\s]+)(?::(|PROXY))?(?::(|PROXY))?$/i.exec(text.trim());
  if (parts === null)
    return unusable(`${JSON.stringify(text)} is not namespace/service:port with PROXY or nothing behind it`);
  const [, namespace, name, reference = "", accept = "", send = ""] = parts;
  const protocol = kind === "tcp" ? "TCP" : "UDP";
  const service = world.service(`${namespace}/${name}`);
  if (service === undefined) return missing("Service", `${namespace}/${name}`);
  const declared = streamPortOf(service, reference, protocol);
  if (declared === undefined) return unusable(`Service ${namespace}/${name} has no ${protocol} port ${reference}`);
  const answer = world.endpoints(`${namespace}/${name}`, declared, protocol);
  const endpoints = answer.kind === "endpoints" ? answer.endpoints : [];
  if (endpoints.length === 0) return unusable(`Service ${namespace}/${name} has no ready endpoint`);
  return {
    kind,
    port,
    label: `${kind}-${namespace}-${name}-${reference}`,
    service: `${namespace}/${name}:${reference}`,
    owner,
    endpoints,
    acceptProxyProtocol: kind === "tcp" && accept !== "",
    sendProxyProtocol: kind === "tcp" && send !== "",
  };
}

/**
 * Returns the reason why nginx cannot open a port. Linux lets a running nginx open no port on all
 * addresses that it has on one of them already. An nginx that starts opens such a port once.
 */
function whyRefused({ why }: Refusal, port: number, owner: string | undefined): string {
  if (owner === undefined) return why;
  return `nginx has port ${port} for ${owner} on an address of its own, and cannot open it on all addresses while it runs; use another port, or remove that listener`;
}

/**
 * Finds a port by number of the Service port (not its target) or by its name; the protocol must be
 * the same (RS-27.2).
 */
function streamPortOf({ spec }: Service, reference: string, protocol: string): ServicePort | undefined {
  if (spec?.type === "ExternalName" && (spec.ports ?? []).length === 0) {
    return /^\d+$/.test(reference) ? { port: Number(reference) } : undefined;
  }
  return spec?.ports?.find((one) => {
    return (one.protocol ?? "TCP") === protocol && (String(one.port) === reference || one.name === reference);
  });
}

/** Returns the port with this number and protocol, by which routes refer to it. */
export function servicePortNumbered(
  service: Service | undefined,
  port: string,
  protocol: "TCP" | "UDP",
): ServicePort | undefined {
  return service?.spec?.ports?.find((one) => String(one.port) === port && (one.protocol ?? "TCP") === protocol);
}

/**
 * Returns the hosts whose TLS passes through to the address of the Service behind `/`, or to its
 * endpoints if it has no address. Hosts in `without` have lost their name.
 */
export function passthroughServers(
  servers: Table<Server<FeatureValues>>,
  world: StreamWorld,
  without: ReadonlySet<string> = new Set(),
): StreamServer[] {
  const found: StreamServer[] = [];
  for (const server of servers.values()) {
    const root = without.has(server.name) ? undefined : passedLocation(server);
    if (root === undefined) continue;
    const backend = backendOf(root);
    const endpoints = guarded(
      () => passthroughEndpoints(backend.key, backend.port, world),
      () => [],
    );
    if (endpoints.length === 0) continue;
    const service = `${backend.key}:${backend.port}`;
    const owner = root.owner === undefined ? {} : { owner: root.owner };
    found.push({ kind: "passthrough", host: server.name, service, ...owner, endpoints });
  }
  return found.sort((a, b) => (hostOf(a) < hostOf(b) ? -1 : 1));
}

/**
 * Returns the Location whose Service gets the TLS of a host; undefined if TLS does not pass
 * through. The flag `--enable-ssl-passthrough` is not looked at.
 */
export function passedLocation({
  listener,
  name,
  features,
  locations,
}: Server<FeatureValues>): Location<FeatureValues> | undefined {
  if (listener !== undefined || !features.sslPassthrough.on || name.startsWith("*") || name === catchAll)
    return undefined;
  const root = locations.find(({ path }) => path === "/");
  return root === undefined || backendOf(root).service === "" ? undefined : root;
}

function passthroughEndpoints(key: string, port: string, world: StreamWorld): readonly Endpoint[] {
  const service = world.service(key);
  const declared = service && servicePortOf(service, port);
  const clusterIP = service?.spec?.clusterIP ?? "None";
  if (declared !== undefined && clusterIP !== "None" && clusterIP !== "")
    return [{ address: clusterIP, port: declared.port }];
  const answer = declared === undefined ? undefined : world.endpoints(key, declared, "TCP");
  return answer?.kind === "endpoints" ? answer.endpoints : [];
}

function hostOf(server: StreamServer): string {
  return server.kind === "passthrough" ? server.host : "";
}
