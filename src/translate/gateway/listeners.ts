/** The listeners of a Gateway or a ListenerSet: which of them can be served, and what they refer to. */
import { certificateOf } from "../../certificates/certificate.ts";
import { type Capability, capabilityNames } from "../../directives/capabilities.ts";
import { type Gateway, type GatewayListener, gatewayGroup, type ObjectReference } from "../../model/gateway/objects.ts";
import type { Secret } from "../../model/objects.ts";
import type { Owner } from "../../model/owner.ts";
import type { StreamProtocol } from "../../model/streams.ts";
import type { ObjectName, Problem } from "../../problem.ts";
import type { Fault } from "./conditions.ts";
import type { Grants } from "./grants.ts";
import { intersect } from "./hostnames.ts";
import type { ListenerReading, RouteKind } from "./reading.ts";

/** What listeners are read by. */
export interface ListenerWorld {
  readonly grants: Grants;
  /** What the nginx at hand has not. */
  readonly lacks: ReadonlySet<Capability>;
  /** The newest usable version of a Secret of TLS. */
  secret(key: string): Secret | undefined;
  /** What is wrong with the present version where `secret` gives an older one. */
  brokenSecret(key: string): string | undefined;
}

export interface ListenersRead {
  readonly listeners: readonly ListenerReading[];
  /** `namespace/name` of Secrets that were looked for. */
  readonly secrets: readonly string[];
  /** Namespaces whose grants were asked for. */
  readonly namespaces: readonly string[];
  readonly problems: readonly Problem[];
}

const kind = (name: string): RouteKind => ({ group: gatewayGroup, kind: name });
const noKinds: readonly RouteKind[] = [];

/** What each protocol can carry here. */
const kindsOf: Readonly<Record<string, readonly RouteKind[]>> = {
  HTTP: [kind("HTTPRoute")],
  HTTPS: [kind("HTTPRoute")],
  TLS: [kind("TLSRoute")],
  TCP: [kind("TCPRoute")],
  UDP: [kind("UDPRoute")],
};

/** The protocols that nginx's stream module serves. */
const streams: Readonly<Record<string, StreamProtocol>> = { TLS: "tls", TCP: "tcp", UDP: "udp" };

/** The listeners of a Gateway, or of a ListenerSet of it. Conflicts between them are for `withConflicts` to find. */
export function readListeners(
  owner: Owner,
  all: readonly GatewayListener[],
  gateway: Gateway,
  world: ListenerWorld,
): ListenersRead {
  const references = new References(owner, world);
  const { namespace = "default", name } = gateway.metadata;
  const id = owner.kind === "Gateway" ? "" : `/${owner.namespace}/${owner.name}`;
  const listeners = all.map((listener, at): ListenerReading => {
    const field = `spec.listeners[${at}]`;
    const known = kindsOf[listener.protocol] ?? noKinds;
    const { kinds, unresolved } = allowedKinds(listener, known, `${field}.allowedRoutes.kinds`, owner);
    const tls = endsTls(listener);
    const pairs = tls ? references.pairsOf(listener, field) : { certificates: [], unresolved: [] };
    return {
      id: `${namespace}/${name}${id}/${listener.name}`,
      owner,
      field,
      listener,
      hostname: hostnameOf(listener),
      tls,
      stream: streams[listener.protocol],
      kinds,
      refused: refusalOf(listener, { field, gateway, object: owner, lacks: world.lacks }),
      conflict: undefined,
      isBeaten: false,
      unresolved: [...pairs.unresolved, ...unresolved],
      overlaps: listener.protocol === "HTTPS" ? overlapping(listener, all) : [],
      overlapsOthers: false,
      certificates: pairs.certificates,
    };
  });
  return {
    listeners,
    secrets: [...references.secrets],
    namespaces: [...references.namespaces],
    problems: references.problems,
  };
}

/** TCP and UDP have no names. */
function hostnameOf({ protocol, hostname = "" }: GatewayListener): string {
  return protocol === "TCP" || protocol === "UDP" ? "" : hostname.toLowerCase();
}

/** Whether nginx decrypts what comes in. */
function endsTls({ protocol, tls }: GatewayListener): boolean {
  return protocol === "HTTPS" || (protocol === "TLS" && (tls?.mode ?? "Terminate") === "Terminate");
}

function allowedKinds(
  { allowedRoutes, protocol }: GatewayListener,
  known: readonly RouteKind[],
  field: string,
  object: ObjectName,
): { readonly kinds: readonly RouteKind[]; readonly unresolved: readonly Fault[] } {
  const asked = allowedRoutes?.kinds ?? [];
  if (asked.length === 0) return { kinds: known, unresolved: [] };
  const isKnown = ({ group = gatewayGroup, kind }: (typeof asked)[number]) =>
    known.some((one) => one.group === group && one.kind === kind);
  const strange = asked.filter((one) => !isKnown(one)).map(({ kind }) => kind);
  const kinds = known.filter((one) =>
    asked.some(({ group = gatewayGroup, kind }) => one.group === group && one.kind === kind),
  );
  if (strange.length === 0) return { kinds, unresolved: [] };
  const why = `routes of kind ${[...new Set(strange)].join(", ")} cannot be served by a listener of protocol ${protocol}`;
  const problem: Problem = { object, kind: "field-unusable", field, why, done: "none of them is attached" };
  return { kinds, unresolved: [{ reason: "InvalidRouteKinds", problem }] };
}

interface Refusing {
  /** That of the listener. */
  readonly field: string;
  readonly gateway: Gateway;
  readonly object: ObjectName;
  readonly lacks: ReadonlySet<Capability>;
}

function refusalOf(listener: GatewayListener, { field, gateway, object, lacks }: Refusing): Fault | undefined {
  const { protocol, tls, port } = listener;
  const done = "the listener is not served";
  const fault = (reason: string, part: string, why: string): Fault => {
    return { reason, problem: { object, kind: "field-unusable", field: part, why, done } };
  };
  if (kindsOf[protocol] === undefined) {
    return fault("UnsupportedProtocol", `${field}.protocol`, `${protocol} is not HTTP, HTTPS, TLS, TCP or UDP`);
  }
  const missing = protocol === "TLS" ? "streamTls" : "stream";
  if (streams[protocol] !== undefined && lacks.has(missing)) {
    return fault("UnsupportedProtocol", `${field}.protocol`, `nginx here has no ${capabilityNames[missing]}`);
  }
  if (protocol === "TLS" && !["Terminate", "Passthrough", undefined].includes(tls?.mode)) {
    return fault("UnsupportedValue", `${field}.tls.mode`, `${tls?.mode} is not Terminate or Passthrough`);
  }
  if (protocol === "HTTPS" && tls?.mode !== undefined && tls.mode !== "Terminate") {
    return fault("UnsupportedValue", `${field}.tls.mode`, `${tls.mode} is not Terminate, and protocol is HTTPS`);
  }
  const guard = endsTls(listener) ? clientCertificateField(gateway, port) : undefined;
  if (guard === undefined) return undefined;
  return fault("UnsupportedValue", guard, "client certificates are not asked for at Gateways yet");
}

/** Where the Gateway asks clients of the port for certificates. What is to be guarded is not served without the guard. */
function clientCertificateField({ spec }: Gateway, port: number): string | undefined {
  const { frontend } = spec?.tls ?? {};
  const own = frontend?.perPort?.findIndex((one) => one.port === port) ?? -1;
  if (own >= 0) {
    return frontend?.perPort?.[own]?.tls?.validation === undefined ? undefined : `spec.tls.frontend.perPort[${own}]`;
  }
  return frontend?.default?.validation === undefined ? undefined : "spec.tls.frontend.default";
}

function overlapping(listener: GatewayListener, all: readonly GatewayListener[]): string[] {
  return all
    .filter((one) => one !== listener && one.port === listener.port && one.protocol === "HTTPS")
    .filter((one) => intersect(hostnameOf(one), hostnameOf(listener)))
    .map(({ name }) => name);
}

/** Looks up what the listeners of one object refer to. */
class References {
  readonly secrets = new Set<string>();
  readonly namespaces = new Set<string>();
  readonly problems: Problem[] = [];
  readonly #object: Owner;
  readonly #world: ListenerWorld;

  constructor(object: Owner, world: ListenerWorld) {
    this.#object = object;
    this.#world = world;
  }

  pairsOf(
    { tls }: GatewayListener,
    field: string,
  ): { readonly certificates: readonly string[]; readonly unresolved: readonly Fault[] } {
    const references = tls?.certificateRefs ?? [];
    const object = this.#object;
    if (references.length === 0) {
      const part = `${field}.tls.certificateRefs`;
      const problem: Problem = {
        object,
        kind: "field-unusable",
        field: part,
        why: "names no Secret",
        done: "handshakes for the listener fail",
      };
      return { certificates: [], unresolved: [{ reason: "InvalidCertificateRef", problem }] };
    }
    const byAlgorithm = new Map<string, string>();
    const unresolved: Fault[] = [];
    for (const [at, reference] of references.entries()) {
      const found = this.#pair(reference, `${field}.tls.certificateRefs[${at}]`);
      if ("fault" in found) unresolved.push(found.fault);
      else if (!byAlgorithm.has(found.algorithm)) byAlgorithm.set(found.algorithm, found.key);
    }
    return { certificates: [...byAlgorithm.values()], unresolved };
  }

  #pair(
    { group = "", kind = "Secret", name, namespace }: ObjectReference,
    field: string,
  ): { readonly key: string; readonly algorithm: string } | { readonly fault: Fault } {
    const object = this.#object;
    const fault = (reason: string, why: string): { readonly fault: Fault } => {
      return { fault: { reason, problem: { object, kind: "field-unusable", field, why, done: "it is not served" } } };
    };
    if (group !== "" || kind !== "Secret") {
      return fault("InvalidCertificateRef", `names a ${group === "" ? "" : `${group} `}${kind}, not a Secret`);
    }
    const to = { group, kind, namespace: namespace ?? object.namespace, name };
    const from = { group: gatewayGroup, kind: object.kind, namespace: object.namespace };
    const key = `${to.namespace}/${name}`;
    if (to.namespace !== object.namespace) this.namespaces.add(to.namespace);
    if (!this.#world.grants.permits({ from, to })) {
      const why = `no ReferenceGrant of namespace ${to.namespace} permits ${object.kind}s of namespace ${object.namespace} to use Secret ${key}`;
      return fault("RefNotPermitted", why);
    }
    this.secrets.add(key);
    const secret = this.#world.secret(key);
    if (secret === undefined) return fault("InvalidCertificateRef", `Secret ${key} not found`);
    const read = certificateOf(secret);
    if (!read.ok) return fault("InvalidCertificateRef", `Secret ${key} ${read.why}`);
    const why = this.#world.brokenSecret(key);
    if (why !== undefined) this.problems.push({ object, kind: "secret-kept", field, secret: key, why });
    return { key, algorithm: read.certificate.identity.keyAlgorithm };
  }
}
