/**
 * Notes about objects in the files that a tool's answer leaves out: Ingresses and Gateways that are
 * not served here, and objects that cannot be read. Without a note the answer would look as if it
 * were about them too.
 */

import type { Denial } from "../ask/routes/routes.ts";
import { gatewayGroup, type Route } from "../core/model/gateway/objects.ts";
import { missingIn } from "../core/model/missing.ts";
import { classOf, type Ingress, type IngressClass, writtenName } from "../core/model/objects.ts";
import { isRefusal, type Problem } from "../core/model/problem.ts";
import type { Snapshot } from "../core/model/snapshot.ts";
import type { Table } from "../core/model/table.ts";
import { unreadOf } from "../edges/folder/file-state.ts";
import type { Files } from "./folder.ts";
import { firstOf } from "./words.ts";

/**
 * Returns a sentence if there are Ingresses that are not served. `served` is the class that the
 * controller serves.
 */
export function leftOutNote(
  { ingresses, ingressClasses }: Pick<Snapshot, "ingresses" | "ingressClasses">,
  isServed: (key: string) => boolean,
  served: string,
): string | undefined {
  const left = [...ingresses].filter(([key]) => !isServed(key));
  return noteOf(
    ["Ingress", "Ingresses"],
    left.map(([key, ingress]) => `${key} (${whyOf(ingress, served, ingressClasses)})`),
  );
}

/**
 * Returns a sentence if there are Ingresses without a class. Tools serve them as `serve` does, but
 * a cluster gives them a class only if one of its IngressClasses is the default one, and without a
 * class ingress-nginx passes them over.
 */
export function classlessNote(
  { ingresses, ingressClasses }: Pick<Snapshot, "ingresses" | "ingressClasses">,
  isAbout: (key: string) => boolean,
): string | undefined {
  if ([...(ingressClasses?.values() ?? [])].some(isDefault)) return undefined;
  const keys = [...ingresses].flatMap(([key, one]) => (isAbout(key) && classOf(one) === undefined ? [key] : [])).sort();
  if (keys.length === 0) return undefined;
  const [what, they] = keys.length === 1 ? ["1 Ingress names", "it"] : [`${keys.length} Ingresses name`, "them"];
  return `${what} no class (${firstOf(keys, mostNames)}): a cluster serves ${they} only if an IngressClass is its default one, or with --watch-ingress-without-class; set spec.ingressClassName`;
}

const isDefault = ({ metadata: { annotations } }: IngressClass): boolean =>
  annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true";

/**
 * Returns the same for Gateways, whose routes are left out with them. Their GatewayClass may be in
 * a cluster, so a class that is missing in the files is not a mistake, but the tools treat the
 * Gateway as one of another controller.
 */
export function gatewaysLeftOutNote(
  { gateways, gatewayClasses }: Pick<Snapshot, "gateways" | "gatewayClasses">,
  isAbout: (key: string) => boolean,
  controllerName: string,
): string | undefined {
  const left = [...gateways].flatMap(([key, { spec }]) => {
    const name = spec?.gatewayClassName ?? "";
    const found = gatewayClasses.get(name);
    if (!isAbout(key) || found?.spec?.controllerName === controllerName) return [];
    const why = found === undefined ? "is in no file" : `has the controller ${found.spec?.controllerName}`;
    return [`${key} (its GatewayClass ${name} ${why})`];
  });
  return noteOf(["Gateway", "Gateways"], left);
}

/**
 * Returns a sentence about routes whose Gateway or ListenerSet no file has, because the files have
 * no object of that kind at all. The files of a product's chart often have routes alone.
 */
export function parentlessNote(snapshot: Snapshot, isAbout: (key: string) => boolean): string | undefined {
  const { httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes, gateways, listenerSets } = snapshot;
  const absent = [...(gateways.size === 0 ? ["Gateway"] : []), ...(listenerSets.size === 0 ? ["ListenerSet"] : [])];
  const tables: readonly Table<Route>[] = [httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes];
  const left = tables.flatMap((table) =>
    [...table].flatMap(([key, { kind, spec }]) => {
      const parents = spec?.parentRefs ?? [];
      const isAlone = parents.every(({ group = gatewayGroup, kind: of = "Gateway" }) => {
        return group === gatewayGroup && absent.includes(of);
      });
      return isAlone && parents.length > 0 && isAbout(key) ? [{ name: writtenName(kind, key), parents }] : [];
    }),
  );
  if (left.length === 0) return undefined;
  const kinds = [...new Set(left.flatMap(({ parents }) => parents.map(({ kind = "Gateway" }) => kind)))];
  const are = left.length === 1 ? "1 route is" : `${left.length} routes are`;
  const names = firstOf(
    left.map(({ name }) => name),
    mostNames,
  );
  return `the files have no ${kinds.join(" and no ")}, so ${are} left out: ${names}; add the file that has ${kinds.length === 1 ? "it" : "them"}`;
}

const mostNames = 5;

function noteOf([one, many]: readonly [string, string], left: readonly string[]): string | undefined {
  if (left.length === 0) return undefined;
  const what = left.length === 1 ? `1 ${one} is` : `${left.length} ${many} are`;
  return `${what} not served here, and left out: ${firstOf(left, mostNames, "; ")}`;
}

function whyOf(ingress: Ingress, served: string, classes: Snapshot["ingressClasses"]): string {
  if (ingress.metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const named = classOf(ingress);
  if (named === undefined) return `it names no class, and ${served} is served`;
  if (named !== served) return `its class is ${named}, and ${served} is served`;
  const isMissing = ingress.spec?.ingressClassName !== undefined && classes !== undefined && !classes.has(named);
  return isMissing
    ? `there is no IngressClass ${named}`
    : "its namespace is not watched, or its IngressClass is for another controller";
}

/** Returns a sentence about Ingresses of our class that have no routes because of a refusal. */
export function refusedNote(problems: readonly Problem[], isAbout: (key: string) => boolean): string | undefined {
  const all = refusedIn(problems).filter(isAbout);
  if (all.length === 0) return undefined;
  const what = all.length === 1 ? "1 Ingress is" : `${all.length} Ingresses are`;
  return `${what} refused and left out: ${firstOf(all, mostNames)}; sluice check says why`;
}

/**
 * Returns a sentence about Ingresses whose snippets nginx will refuse. Their routes are those that
 * are written, and a controller serves none of them.
 */
export function unservedNote(inSnippets: readonly Problem[], isAbout: (key: string) => boolean): string | undefined {
  const all = refusedIn(inSnippets).filter(isAbout);
  if (all.length === 0) return undefined;
  const [what, its] = all.length === 1 ? ["1 Ingress", "its"] : [`${all.length} Ingresses`, "their"];
  return `nginx would refuse ${what}, so ${its} routes are not served as listed here: ${firstOf(all, mostNames)}; sluice check says why`;
}

function refusedIn(problems: readonly Problem[]): readonly string[] {
  const keys = problems.flatMap((one) => (isRefusal(one) && one.object.kind === "Ingress" ? [keyOfName(one)] : []));
  return [...new Set(keys)].sort();
}

const keyOfName = ({ object: { namespace, name } }: Problem): string => `${namespace}/${name}`;

/**
 * Returns a sentence if paths are closed because a Secret or ConfigMap is missing, and the files
 * have no object of that kind at all. They lack a file then, and the cluster may serve the paths.
 */
export function closedNote(
  { secrets, configMaps }: Pick<Snapshot, "secrets" | "configMaps">,
  denials: readonly Denial[],
): string | undefined {
  const tables = { Secret: secrets, ConfigMap: configMaps };
  const absent = (["Secret", "ConfigMap"] as const).filter((kind) => tables[kind].size === 0);
  const parts = absent.flatMap((kind) => {
    const count = denials.filter(({ problem }) => missingIn(problem)?.kind === kind).length;
    if (count === 0) return [];
    const which = count === 1 ? "1 path that needs one answers" : `${count} paths that need one answer`;
    return [`the files have no ${kind}s, so ${which} 503 here; add the file that has them`];
  });
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Returns a sentence about objects and files that are not applied because of a mistake. */
export function unreadNote(files: Files): string | undefined {
  const objects = [...files.values()].flatMap(unreadOf).map(({ kind, key }) => writtenName(kind, key));
  return mistakenNote([...objects, ...unreadFiles(files)]);
}

/** Returns a sentence about files that could not be read, so their objects are not known. */
export const unreadFilesNote = (files: Files): string | undefined => mistakenNote(unreadFiles(files));

function unreadFiles(files: Files): readonly string[] {
  return [...files].flatMap(([file, { faults, strays = [] }]) =>
    strays.length === 0 && faults.some(({ object, fatal }) => object === undefined && fatal) ? [file] : [],
  );
}

function mistakenNote(all: readonly string[]): string | undefined {
  if (all.length === 0) return undefined;
  const is = all.length === 1 ? "has a mistake and is" : "have mistakes and are";
  return `${firstOf(all, mostNames)} ${is} left out; sluice check says what is wrong`;
}
