/**
 * Reads the listeners of a Gateway or a ListenerSet: whether they can be served, and the objects to
 * which they refer.
 */

import { shown } from "../../kinds/kind.ts";
import type { ListenerSet } from "../../model/gateway/listener-set.ts";
import { type Gateway, type GatewayListener, gatewayGroup } from "../../model/gateway/objects.ts";
import type { ClientValidation } from "../../model/listeners.ts";
import { own } from "../../model/own.ts";
import type { Owner } from "../../model/owner.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import type { StreamProtocol } from "../../model/streams.ts";
import { type Capability, capabilityNames } from "../../tokens/capabilities.ts";
import type { Fault } from "./conditions.ts";
import { intersect } from "./hostnames.ts";
import { type AskedClients, askedClients, isKnownMode } from "./listener/clients.ts";
import { closedBy } from "./listener/closed.ts";
import { type ListenerWorld, References } from "./listener/listener-references.ts";
import type { ListenerReading, RouteKind } from "./reading.ts";

export interface ListenersRead {
  readonly listeners: readonly ListenerReading[];
  /** `namespace/name` of Secrets that were looked up. */
  readonly secrets: readonly string[];
  /** Namespaces whose grants were checked. */
  readonly namespaces: readonly string[];
  readonly problems: readonly Problem[];
}

const kind = (name: string): RouteKind => ({ group: gatewayGroup, kind: name });
const forRequests: readonly RouteKind[] = [kind("GRPCRoute"), kind("HTTPRoute")];
const noKinds: readonly RouteKind[] = [];

/** The kinds of routes that each protocol can carry here. */
const kindsOf: Readonly<Record<string, readonly RouteKind[]>> = {
  HTTP: forRequests,
  HTTPS: forRequests,
  TLS: [kind("TLSRoute")],
  TCP: [kind("TCPRoute")],
  UDP: [kind("UDPRoute")],
};

/** Kinds for streams whose TLS ends here. A TCPRoute takes all names of the listener. */
const ofEndedTls: readonly RouteKind[] = [kind("TCPRoute"), kind("TLSRoute")];

/** The protocols that nginx's stream module serves. */
const streams: Readonly<Record<string, StreamProtocol>> = { TLS: "tls", TCP: "tcp", UDP: "udp" };

/**
 * Reads the listeners of a Gateway, or of one of its ListenerSets, which is `source`.
 * `withConflicts` finds conflicts between them.
 */
export function readListeners(
  owner: Owner,
  source: Gateway | ListenerSet,
  gateway: Gateway,
  world: ListenerWorld,
): ListenersRead {
  const all = source.spec?.listeners ?? [];
  const references = new References(owner, world);
  const { namespace = "default", name } = gateway.metadata;
  // The Gateway itself refers to the authorities for clients, so its permissions count.
  const guards = new References({ kind: "Gateway", namespace, name }, world);
  const id = owner.kind === "Gateway" ? "" : `/${owner.namespace}/${owner.name}`;
  const guardOf = (clients: AskedClients) =>
    world.tooMuchTrust === undefined
      ? guards.clientsOf(clients)
      : { clients: undefined, unresolved: [{ reason: "InvalidCACertificateRef", problem: world.tooMuchTrust }] };
  const listeners = all.map((listener, at): ListenerReading => {
    const field = `spec.listeners[${at}]`;
    const isEnded = listener.protocol === "TLS" && endsTls(listener);
    const known = isEnded ? ofEndedTls : (own(kindsOf, listener.protocol) ?? noKinds);
    const { kinds, unresolved } = allowedKinds(listener, known, `${field}.allowedRoutes.kinds`, owner);
    const tls = endsTls(listener);
    const pairs = tls ? references.pairsOf(listener, field) : { certificates: [], unresolved: [] };
    const clients = listener.protocol === "HTTPS" ? askedClients(gateway, listener.port) : undefined;
    const guard = clients === undefined ? { clients: undefined, unresolved: [] } : guardOf(clients);
    return {
      id: `${namespace}/${name}${id}/${listener.name}`,
      owner,
      field,
      listener,
      hostname: hostnameOf(listener),
      tls,
      stream: own(streams, listener.protocol),
      kinds,
      refused:
        closedBy(owner, source, at, gateway) ??
        refusalOf(listener, { field, gateway, object: owner, lacks: world.lacks, guard }),
      conflict: undefined,
      isBeaten: false,
      unresolved: [...guard.unresolved, ...pairs.unresolved, ...unresolved],
      overlaps: hasTls(listener) ? overlapping(listener, all) : [],
      overlapsOthers: false,
      certificates: pairs.certificates,
      ...(guard.clients === undefined ? {} : { clients: guard.clients }),
    };
  });
  return {
    listeners,
    secrets: [...references.secrets],
    namespaces: [...references.namespaces, ...guards.namespaces],
    problems: references.problems,
  };
}

/** Returns the hostname of a listener, which TCP and UDP do not have. */
function hostnameOf({ protocol, hostname = "" }: GatewayListener): string {
  return protocol === "TCP" || protocol === "UDP" ? "" : hostname.toLowerCase();
}

/** Whether nginx ends the TLS of clients. */
function endsTls({ protocol, tls }: GatewayListener): boolean {
  return protocol === "HTTPS" || (protocol === "TLS" && (tls?.mode ?? "Terminate") === "Terminate");
}

/** Whether clients use TLS, whether or not nginx ends it. */
export function hasTls({ protocol }: GatewayListener): boolean {
  return protocol === "HTTPS" || protocol === "TLS";
}

function allowedKinds(
  { allowedRoutes, protocol }: GatewayListener,
  known: readonly RouteKind[],
  field: string,
  object: ObjectName,
): { readonly kinds: readonly RouteKind[]; readonly unresolved: readonly Fault[] } {
  const wantedKinds = allowedRoutes?.kinds ?? [];
  if (wantedKinds.length === 0) return { kinds: known, unresolved: [] };
  const isKnown = ({ group = gatewayGroup, kind }: (typeof wantedKinds)[number]) =>
    known.some((one) => one.group === group && one.kind === kind);
  const strange = wantedKinds.filter((one) => !isKnown(one)).map(({ kind }) => kind);
  const kinds = known.filter((one) =>
    wantedKinds.some(({ group = gatewayGroup, kind }) => one.group === group && one.kind === kind),
  );
  if (strange.length === 0) return { kinds, unresolved: [] };
  const why = `routes of kind ${[...new Set(strange)].join(", ")} cannot be served by a listener of protocol ${protocol}`;
  const problem: Problem = { object, kind: "value-unsupported", field, why, done: "none of them is attached" };
  return { kinds, unresolved: [{ reason: "InvalidRouteKinds", problem }] };
}

interface Refusing {
  /** The field of the listener. */
  readonly field: string;
  readonly gateway: Gateway;
  readonly object: ObjectName;
  readonly lacks: ReadonlySet<Capability>;
  /** The validation of clients, if the Gateway has one, and what keeps it from being usable. */
  readonly guard: { readonly clients: ClientValidation | undefined; readonly unresolved: readonly Fault[] };
}

function refusalOf(listener: GatewayListener, { field, gateway, object, lacks, guard }: Refusing): Fault | undefined {
  const { protocol, tls, port } = listener;
  const done = "the listener is not served";
  const fault = (reason: string, part: string, why: string): Fault => {
    const problem: Problem = { object, kind: "value-unusable", field: part, why, done };
    return reason === "UnsupportedProtocol" ? { reason, problem } : { reason, problem, keepsHosts: true };
  };
  if (own(kindsOf, protocol) === undefined) {
    return fault("UnsupportedProtocol", `${field}.protocol`, `${protocol} is not HTTP, HTTPS, TLS, TCP or UDP`);
  }
  // The definitions of the Gateway API bound the number, but a cluster may have others.
  if (port < 1 || port > 65_535) {
    return fault("UnsupportedValue", `${field}.port`, `${port} is not a port number`);
  }
  const missing = protocol === "TLS" ? "streamTls" : "stream";
  if (own(streams, protocol) !== undefined && lacks.has(missing)) {
    return fault("UnsupportedProtocol", `${field}.protocol`, `nginx here has no ${capabilityNames[missing]}`);
  }
  if (protocol === "TLS" && !["Terminate", "Passthrough", undefined].includes(tls?.mode)) {
    return fault("UnsupportedValue", `${field}.tls.mode`, `${tls?.mode} is not Terminate or Passthrough`);
  }
  if (protocol === "HTTPS" && tls?.mode !== undefined && tls.mode !== "Terminate") {
    return fault("UnsupportedValue", `${field}.tls.mode`, `${tls.mode} is not Terminate, and protocol is HTTPS`);
  }
  const clients = endsTls(listener) ? askedClients(gateway, port) : undefined;
  if (clients === undefined) return undefined;
  if (protocol === "TLS") {
    return fault(
      "UnsupportedValue",
      clients.field,
      "client certificates are not asked for by listeners of protocol TLS",
    );
  }
  if (!isKnownMode(clients)) {
    const why = `${shown(clients.mode)} is not AllowValidOnly or AllowInsecureFallback`;
    return fault("UnsupportedValue", `${clients.field}.validation.mode`, why);
  }
  const where = `${clients.field}.validation.caCertificateRefs`;
  if (guard.clients !== undefined) return undefined;
  const none = fault("NoValidCACertificate", where, "give no certificate of an authority");
  return { ...none, problem: { ...none.problem, follows: guard.unresolved.map((one) => one.problem) } };
}

function overlapping(listener: GatewayListener, all: readonly GatewayListener[]): string[] {
  return all
    .filter((one) => one !== listener && one.port === listener.port && hasTls(one))
    .filter((one) => intersect(hostnameOf(one), hostnameOf(listener)))
    .map(({ name }) => name);
}
