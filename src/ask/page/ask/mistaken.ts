/**
 * Finds the objects that would take a request or a connection and that have a mistake: they cannot
 * be read, no listener has them, or an annotation keeps an Ingress from being applied.
 */
import { type Gist, gistOf } from "../../../core/model/gist.ts";
import { type KubernetesObject, keyOf, keyOfName, objectKey } from "../../../core/model/objects.ts";
import { isOfField, isRefusal, type Problem, unplaced } from "../../../core/model/problem.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import { withoutCredentials } from "../shown.ts";
import type { AskedWorld } from "./world.ts";

type World = Pick<AskedWorld, "snapshot" | "findings" | "unread">;

type RouteKind = "HTTPRoute" | "GRPCRoute" | "TLSRoute" | "TCPRoute" | "UDPRoute";

/** Returns the kinds that take requests. A TLSRoute takes those of https. */
export const kindsFor = (scheme: "http" | "https"): readonly string[] =>
  scheme === "http" ? ["Ingress", "HTTPRoute", "GRPCRoute"] : ["Ingress", "HTTPRoute", "GRPCRoute", "TLSRoute"];

/** Returns sentences about objects of these kinds that have the host. */
export function mistakenFor(host: string, kinds: readonly string[], world: World): readonly string[] {
  return mistakenOf(kinds, world).flatMap(({ called, hosts, mending }) => {
    const wildcard = hosts.find((name) => name.startsWith("*.") && host.endsWith(name.slice(1)));
    if (hosts.includes(host)) return [`${called} names this host; ${mending}`];
    return wildcard === undefined ? [] : [`${called} has ${wildcard}, which takes this host; ${mending}`];
  });
}

/** Returns sentences about objects of these kinds that take all hosts. */
export function mistakenForAll(kinds: readonly string[], world: World): readonly string[] {
  return mistakenOf(kinds, world).flatMap(({ kind, called, hosts, isEmpty, mending }) => {
    if (hosts.length > 0 || (kind === "Ingress" && isEmpty)) return [];
    return [`${called} takes all hosts${kind === "Ingress" ? "" : " of its listeners"}; ${mending}`];
  });
}

const streamKinds = { tcp: ["TCPRoute"], udp: ["UDPRoute"], tls: ["TLSRoute"] } as const;

/**
 * Returns the same for a connection or a datagram to a port. TCPRoutes and UDPRoutes have no hosts.
 */
export function mistakenAt(
  { protocol, host, port }: { readonly protocol: "tcp" | "udp" | "tls" | "any"; host: string; port: number },
  world: World,
): readonly string[] {
  const { gateways, listenerSets } = world.snapshot;
  const parents = mistakenOf(["Gateway", "ListenerSet"], world).filter(({ ports }) => ports.includes(port));
  const good = [...gateways.values(), ...listenerSets.values()].filter((one) => gistOf(one).ports.includes(port));
  const there = new Set([
    ...parents.map(({ called }) => called),
    ...good.map((one) => objectKey(one.kind, keyOf(one))),
  ]);
  const kinds = protocol === "any" ? Object.values(streamKinds).flat() : streamKinds[protocol];
  const ofPort = mistakenOf(
    kinds.filter((kind) => kind !== "TLSRoute"),
    world,
  ).filter((one) => one.parents.some((parent) => there.has(parent)));
  return [
    ...mistakenFor(
      host,
      kinds.filter((kind) => kind === "TLSRoute"),
      world,
    ),
    ...ofPort.map(({ called, mending }) => `${called} is for this port; ${mending}`),
    ...parents.map(({ called, mending }) => `${called} has this port; ${mending}`),
  ];
}

/** Returns how to correct the object, if it cannot be read. */
export function mendingOf(kind: string, key: string, { unread, findings }: Omit<World, "snapshot">) {
  if (!unread.some((one) => one.kind === kind && one.key === key)) return undefined;
  return mendingOfUnread(kind, key, findings);
}

/** An annotation of such an object may be wrong, too, but does not keep it from being read. */
function mendingOfUnread(kind: string, key: string, findings: World["findings"]): string | undefined {
  const keepsOut = mendingBy(kind, key, findings, (problem) => problem.kind === "manifest-unusable");
  return keepsOut ?? mendingBy(kind, key, findings, () => true);
}

/**
 * Returns the first error of an Ingress that is applied and takes the host, but serves nothing
 * there. `takes` says how, such as `names this host`.
 */
export function errorOf(key: string, takes: string, findings: World["findings"]): string | undefined {
  const mending = mendingBy("Ingress", key, findings, () => true);
  return mending === undefined ? undefined : `Ingress ${key} ${takes}; ${mending}`;
}

interface Mistaken extends Gist {
  readonly kind: string;
  /** `HTTPRoute shop/web`. */
  readonly called: string;
  readonly mending: string;
}

function mistakenOf(kinds: readonly string[], { snapshot, findings, unread }: World): readonly Mistaken[] {
  const ofFiles = unread
    .filter(({ kind }) => kinds.includes(kind))
    .map((one) => ({ ...one, mending: mendingOfUnread(one.kind, one.key, findings) }));
  const known = new Set(ofFiles.map(({ kind, key }) => objectKey(kind, key)));
  const left = findings.flatMap(({ problem }) => (isLeftOut(problem) ? [problem.object] : []));
  const apart = left.flatMap(({ kind, namespace, name }) => {
    const key = `${namespace}/${name}`;
    const object = kinds.includes(kind) && !known.has(objectKey(kind, key)) ? objectOf(kind, key, snapshot) : undefined;
    if (object === undefined) return [];
    known.add(objectKey(kind, key));
    return [{ kind, key, ...gistOf(object), mending: mendingBy(kind, key, findings, isLeftOut) }];
  });
  return [...ofFiles, ...apart].flatMap(({ kind, key, mending, ...gist }) =>
    mending === undefined ? [] : [{ ...gist, kind, called: objectKey(kind, key), mending }],
  );
}

/**
 * Whether the Problem keeps a route from a listener that it names, or keeps an Ingress from being
 * applied.
 */
function isLeftOut(problem: Problem): boolean {
  if (problem.object.kind === "Ingress") return isRefusal(problem);
  return isOfField(problem) && problem.field.startsWith("spec.parentRefs[");
}

function objectOf(kind: string, key: string, snapshot: Snapshot): KubernetesObject | undefined {
  const { ingresses, httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes } = snapshot;
  const tables = {
    Ingress: ingresses,
    HTTPRoute: httpRoutes,
    GRPCRoute: grpcRoutes,
    TLSRoute: tlsRoutes,
    TCPRoute: tcpRoutes,
    UDPRoute: udpRoutes,
  };
  return tables[kind as "Ingress" | RouteKind]?.get(key);
}

function mendingBy(
  kind: string,
  key: string,
  findings: World["findings"],
  counts: (problem: Problem) => boolean,
): string | undefined {
  const found = findings.find(
    ({ severity, problem }) =>
      severity === "error" && problem.object.kind === kind && keyOfName(problem.object) === key && counts(problem),
  );
  if (found === undefined) return undefined;
  const place = found.at === undefined ? "" : ` (${found.at.file}:${found.at.line})`;
  return `correct it${place}: ${withoutCredentials(unplaced(found.problem))}`;
}
