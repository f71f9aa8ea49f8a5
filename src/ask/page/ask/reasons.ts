/** Finds changes with which a request would succeed that now finds no route or backend. */

import { didYouMean } from "../../../base/did-you-mean.ts";
import { nearest } from "../../../core/kinds/nearest.ts";
import { backendOf } from "../../../core/model/location.ts";
import { missingIn } from "../../../core/model/missing.ts";
import type { Ingress } from "../../../core/model/objects.ts";
import { classAnnotation, classOf, keyOf, keyOfName } from "../../../core/model/objects.ts";
import { named, type ObjectName, type Problem, unplaced } from "../../../core/model/problem.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import { portsInWords, servicePortOf } from "../../../core/table/upstreams/endpoints.ts";
import type { Decision, Guard } from "../../matcher/decision.ts";
import { errorOf, kindsFor, mistakenFor, mistakenForAll } from "./mistaken.ts";
import { unservedRoutes } from "./route-reasons.ts";
import type { AskedWorld } from "./world.ts";

/**
 * Returns sentences, the most helpful first. `ofRules` are those about the routes of Gateways on
 * the same port, and `hasRoutes` says whether such routes have the host.
 */
export function reasonsIn(
  decision: Decision,
  scheme: "http" | "https",
  world: Pick<AskedWorld, "snapshot" | "isServed" | "problems" | "options" | "findings" | "unread">,
  { ofRules, hasRoutes }: { readonly ofRules: readonly string[]; readonly hasRoutes: boolean },
): readonly string[] {
  const { snapshot } = world;
  const host = decision.request?.host ?? "";
  const uri = decision.request?.uri ?? "/";
  const { end } = decision;
  if (end.kind !== "answer" || end.status < 400) return [];
  const mistaken = mistakenFor(host, kindsFor(scheme), world);
  const ofAll = end.status === 404 ? mistakenForAll(kindsFor(scheme), world) : [];
  const unserved = end.status === 404 ? unservedRoutes(host, scheme, world) : [];
  const isNamed = mistaken.length + ofAll.length + unserved.length > 0;
  const ofOthers = ofOtherClass(host, world, end.status === 404);
  const stop = decision.guards.find(({ outcome }) => outcome === "stops");
  return [
    ...mistaken,
    ...ofAll,
    ...ofOthers,
    ...unserved,
    ...(end.status === 404 && (hasRoutes || !isNamed) ? ofRules : []),
    ...(end.status === 404 && decision.host !== undefined ? ofPath(decision, uri) : []),
    ...(isOfNone(decision) && !isNamed && ofOthers.length === 0 && !hasRoutes ? ofHost(host, decision, world) : []),
    ...(stop === undefined && end.status === 503 ? ofService(decision, snapshot) : []),
    ...(stop === undefined ? [] : ofGuard(stop, decision, world)),
  ];
}

/** Whether no rule takes the request, neither one of its host nor one without a host. */
function isOfNone({ host, path }: Decision): boolean {
  return host?.how === "nothing else" && (path?.kind !== "location" || path.location.owner === undefined);
}

/**
 * Explains a guard that stops every request, because something that it needs is missing or broken.
 */
function ofGuard(
  { what }: Guard,
  { path }: Decision,
  { problems, snapshot }: Pick<AskedWorld, "problems" | "snapshot">,
): string[] {
  if (path?.kind !== "location") return [];
  const { closed, owner } = path.location;
  if (what === "closed") return closed === undefined ? [] : [mendingOf(closed, snapshot)];
  if (what !== "client-certificate") return [];
  const own = problems.filter(({ object }) => object.kind === owner?.kind && sameName(object, owner));
  return own.filter((one) => placeOf(one) === "annotation auth-tls-secret").map((one) => mendingOf(one, snapshot));
}

const sameName = (one: ObjectName, other: ObjectName): boolean =>
  one.namespace === other.namespace && one.name === other.name;

function mendingOf(problem: Problem, { secrets }: Snapshot): string {
  const missing = missingIn(problem);
  if (missing === undefined) return `correct what closes the path: ${named(problem.object)}: ${unplaced(problem)}`;
  if (missing.kind === "Secret" && secrets.size === 0) return missingAlone(named(missing));
  return `${named(missing)} does not exist; create it, or change ${placeOf(problem)} of ${named(problem.object)}`;
}

/** Files without any object of a kind lack a file rather than an object. */
const missingAlone = (object: string): string =>
  `${object} is not here, and neither is any other: add the file that has it, or create it`;

function placeOf(problem: Problem): string {
  return "key" in problem ? `annotation ${problem.key}` : "field" in problem ? problem.field : "what names it";
}

const hostsOf = ({ spec }: Ingress): readonly string[] =>
  (spec?.rules ?? []).flatMap(({ host }) => (host ? [host.toLowerCase()] : []));

/**
 * Finds Ingresses that would take the host and have no class of this controller. `nothingElse` says
 * whether one that takes all hosts would answer, too.
 */
function ofOtherClass(
  host: string,
  world: Pick<AskedWorld, "snapshot" | "isServed" | "options">,
  nothingElse: boolean,
): string[] {
  const { snapshot, isServed, options } = world;
  const { ingresses, ingressClasses } = snapshot;
  const known = [...(ingressClasses?.values() ?? [])].filter(
    ({ spec }) => spec?.controller === options.controllerClass,
  );
  const names = known.map(({ metadata }) => metadata.name).join(" or ") || options.ingressClass;
  return [...ingresses.values()].flatMap((one) => {
    const taken = isServed(keyOf(one)) ? undefined : takenBy(one, host, nothingElse);
    if (taken === undefined) return [];
    const own = classOf(one);
    const why = own === undefined ? "it names no class" : `its class is ${own}`;
    const change = `write ingressClassName: ${names}${servingOf(one, world)}`;
    return `Ingress ${keyOf(one)} ${taken}, and is not served here: ${why}; ${change}`;
  });
}

/** Says in which way an Ingress takes the host, if it does. */
function takenBy(one: Ingress, host: string, nothingElse: boolean): string | undefined {
  const hosts = hostsOf(one);
  if (hosts.includes(host)) return "has this host";
  const wildcard = `*${host.replace(/^[^.]+/, "")}`;
  if (hosts.includes(wildcard)) return `has ${wildcard}, which takes this host`;
  return hosts.length === 0 && nothingElse ? "takes all hosts" : undefined;
}

/** Returns the change with which this controller would serve a class that no object has. */
function servingOf(one: Ingress, { snapshot, options }: Pick<AskedWorld, "snapshot" | "options">): string {
  const named = one.spec?.ingressClassName;
  const noted = one.metadata.annotations?.[classAnnotation];
  if (named === undefined) return noted === undefined ? "" : `, or serve the class with --ingress-class=${noted}`;
  const isThere = [...(snapshot.ingressClasses?.values() ?? [])].some(({ metadata }) => metadata.name === named);
  return isThere ? "" : `, or add an IngressClass ${named} with the controller ${options.controllerClass}`;
}

function ofHost(
  host: string,
  decision: Decision,
  { snapshot: { ingresses }, findings, isServed }: Pick<AskedWorld, "snapshot" | "findings" | "isServed">,
): string[] {
  const named = [...ingresses.values()].filter((one) => hostsOf(one).includes(host)).map(keyOf);
  if (named.length > 0) return named.flatMap((key) => errorOf(key, "names this host", findings) ?? []);
  const owners = new Set(decision.host?.server.locations.flatMap(({ owner }) => (owner ? [keyOfName(owner)] : [])));
  const idle = [...ingresses.values()].filter((one) => {
    return hostsOf(one).length === 0 && isServed(keyOf(one)) && !owners.has(keyOf(one));
  });
  const errors = idle.flatMap((one) => errorOf(keyOf(one), "takes all hosts", findings) ?? []);
  if (errors.length > 0) return errors;
  const all = [...new Set([...ingresses.values()].flatMap(hostsOf))];
  const above = `*${host.replace(/^[^.]+/, "")}`;
  const deep = all.find((one) => one.startsWith("*.") && host.endsWith(one.slice(1)) && one !== above);
  return [
    `no Ingress has the host ${host}${didYouMean(nearest(host, all))}; add a rule for it`,
    ...(deep === undefined ? [] : [`${deep} takes one label only, so not ${host}`]),
  ];
}

function ofPath({ host }: Decision, uri: string): string[] {
  const { routes, locations } = host!.server;
  const paths = routes.flatMap((route) => {
    const location = locations[route.location]!;
    const { owner, path } = location;
    // The path `/` that every host has by default belongs to no Ingress.
    // Nor does the redirect that adds the slash to the end of a path.
    if (owner === undefined || backendOf(location).service === "" || route.match === "slash") return [];
    const textAs = (match: string) => `${path} (${match}, ${named(owner)})`;
    return [{ route, text: textAs(route.match), textAsPrefix: textAs("prefix") }];
  });
  const all = new Set(paths.map(({ text }) => text));
  // A Prefix path is an exact route, too.
  const own = paths.filter(({ route, textAsPrefix }) => route.match !== "exact" || !all.has(textAsPrefix));
  const names = [...new Set(own.map(({ text }) => text))];
  const exact = paths.find(({ route }) => route.match === "exact" && uri.startsWith(`${route.path}/`));
  const isCatchAll = host!.how === "nothing else";
  if (isCatchAll && names.length === 0) return [];
  const [what, they] = isCatchAll ? ["the rules without a host", "they have"] : [host!.server.name, "it has"];
  return [
    `no path of ${what} takes ${uri}; ${they} ${names.length === 0 ? "none" : names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`,
    ...(exact === undefined ? [] : [`${exact.route.path} is Exact; with pathType: Prefix it would take this one`]),
  ];
}

function ofService({ backends: [first] }: Decision, { services, endpointSlices }: Snapshot): string[] {
  if (first === undefined || first.backend.service === "") return [];
  const { service, port: wanted, key } = first.backend;
  const namespace = key.slice(0, key.indexOf("/"));
  const found = services.get(key);
  if (found === undefined && services.size === 0) return [missingAlone(`Service ${key}`)];
  if (found === undefined) {
    const similar = nearest(
      service,
      [...services.values()]
        .filter(({ metadata }) => metadata.namespace === namespace)
        .map(({ metadata }) => metadata.name),
    );
    return [`Service ${key} does not exist${didYouMean(similar)}; create it, or name another`];
  }
  if (found.spec?.type !== "ExternalName" && servicePortOf(found, wanted) === undefined)
    return [`Service ${key} has no port ${wanted}; it has ${portsInWords(found)}`];
  const slices = [...endpointSlices.values()].filter(({ metadata }) => {
    return metadata.namespace === namespace && metadata.labels?.["kubernetes.io/service-name"] === service;
  });
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  if (endpoints.length > 0)
    return [`none of the ${endpoints.length} endpoints of Service ${key} is ready; look at its Pods`];
  const { type, externalName } = found.spec ?? {};
  if (type === "ExternalName")
    return [
      `no address of ${externalName}, the externalName of Service ${key}, is known; files have none, and a running controller asks its nameserver`,
    ];
  return [`Service ${key} has no endpoint: does its selector fit the labels of the Pods, and does one run?`];
}
