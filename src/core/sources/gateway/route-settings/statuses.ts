/**
 * Makes the statuses of RouteSettings for their targets and for the routes whose filters name them,
 * with their Problems.
 */

import type { PolicyTarget } from "../../../model/gateway/backend-tls-policy.ts";
import { gatewayGroup, type ParentReference } from "../../../model/gateway/objects.ts";
import { hasUnknownTargets, targetsKey, targetsOf } from "../../../model/gateway/route-settings.ts";
import type { DesiredAncestorStatus, DesiredCondition, DesiredStatus } from "../../../model/gateway/status.ts";
import { missing } from "../../../model/missing.ts";
import { kindAndKey, objectKey } from "../../../model/objects.ts";
import { type Mistake, named, type Problem, sentence } from "../../../model/problem.ts";
import { mayGuard } from "../../../policies/on-routes.ts";
import type { Problems } from "../../../table/problems.ts";
import type { Turn } from "../../../table/turn.ts";
import { type Fault, fails, holds, wordsOfAll } from "../conditions.ts";
import type { Gateways } from "../gateways.ts";
import type { RouteSource } from "../route-source.ts";
import type { SettingsReading } from "./reading.ts";
import type { AllRouteSettings } from "./route-settings.ts";

/** The facts about a target that the status needs. */
interface TargetSeen {
  /** Whether this controller serves it. */
  readonly isOurs: boolean;
  /** Names of its listeners or of its rules. */
  readonly sections: readonly string[];
}

interface TargetWorld {
  /**
   * Returns the object with a name such as `Gateway shop/public`; undefined if there is none.
   */
  seen(called: string): TargetSeen | undefined;
  /** Returns the settings that are attached to it or to that part of it, oldest first. */
  attachedTo(called: string, section: string | undefined): readonly SettingsReading[];
  /**
   * Returns this controller's routes whose filters name these settings, such as `HTTPRoute
   * shop/web`.
   */
  users(key: string): readonly string[];
}

interface SettingsStatus {
  readonly ancestors: readonly DesiredAncestorStatus[];
  readonly problems: readonly Problem[];
}

const kinds: readonly string[] = ["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute"];

function settingsStatus(all: SettingsReading, world: TargetWorld): SettingsStatus {
  const { key, object, settings } = all;
  const faults: Fault[] = [];
  const ancestors: DesiredAncestorStatus[] = [];
  const targets = targetsOf(settings);
  const users = world.users(key);
  const isOnRoutes = users.length > 0 || targets.some(({ kind }) => kind === "HTTPRoute" || kind === "GRPCRoute");
  const reading = (isOnRoutes && all.forRules) || all;
  for (const [at, target] of targets.entries()) {
    const { fault, isOurs } = judged(all, target, `spec.${targetsKey}[${at}]`, world);
    if (fault !== undefined) faults.push(fault);
    if (isOurs) ancestors.push({ ancestorRef: referenceTo(target), conditions: [accepted(reading, fault)] });
  }
  for (const user of users) {
    const [kind = "", route = ""] = user.split(" ");
    const target = { group: gatewayGroup, kind, name: route.slice(route.indexOf("/") + 1) };
    if (targets.some((one) => one.kind === kind && one.name === target.name && one.sectionName === undefined)) continue;
    ancestors.push({ ancestorRef: referenceTo(target), conditions: [accepted(reading, undefined)] });
  }
  const isElsewhere = targets.length > 0 && ancestors.length === 0;
  const isIdle = targets.length === 0 && users.length === 0 && !hasUnknownTargets(settings);
  const idle = isIdle ? [unused(object)] : [];
  const problems = [...reading.problems, ...faults.map(({ problem }) => problem), ...idle];
  return { ancestors, problems: isElsewhere ? [] : problems };
}

function unused(object: Problem["object"]): Problem {
  const why = "is missing, and no filter of a route names these settings";
  return { object, kind: "value-useless", field: `spec.${targetsKey}`, why, done: "they have no effect" };
}

function referenceTo({ group, kind, name, sectionName }: PolicyTarget): ParentReference {
  return { group, kind, name, ...(sectionName === undefined ? {} : { sectionName }) };
}

/** Returns the statuses. Targets of other controllers get no entry. */
function judged(
  reading: SettingsReading,
  { group, kind, name, sectionName }: PolicyTarget,
  field: string,
  world: TargetWorld,
): { readonly fault?: Fault; readonly isOurs: boolean } {
  const { object } = reading;
  const fault = (reason: string, part: string, mistake: Mistake, done = "the settings have no effect there"): Fault => {
    return { reason, problem: { object, field: `${field}${part}`, ...mistake, done } };
  };
  if (group !== gatewayGroup || !kinds.includes(kind)) {
    const why = `${group} ${kind} is not one of ${kinds.join(", ")}`;
    return { isOurs: true, fault: fault("Invalid", ".kind", { kind: "reference-unusable", why }) };
  }
  const key = `${object.namespace}/${name}`;
  const called = objectKey(kind, key);
  const seen = world.seen(called);
  if (seen === undefined) return { isOurs: true, fault: fault("TargetNotFound", "", missing(kind, key)) };
  if (!seen.isOurs) return { isOurs: false };
  if (sectionName !== undefined && !seen.sections.includes(sectionName)) {
    const what = kind.endsWith("Route") ? "rule" : "listener";
    const why = `${called} has no ${what} named ${sectionName}`;
    return { isOurs: true, fault: fault("TargetNotFound", ".sectionName", { kind: "reference-unusable", why }) };
  }
  const lost = overruled(reading, called, sectionName, world);
  if (lost === undefined) return { isOurs: true };
  const done = "those count, and guards of both hold";
  return { isOurs: true, fault: fault("Conflicted", "", { kind: "claim-lost", why: lost }, done) };
}

/** Finds values that have no effect because older settings of the same target have the same key. */
function overruled(reading: SettingsReading, called: string, section: string | undefined, world: TargetWorld) {
  const all = world.attachedTo(called, section);
  const older = all.slice(0, all.indexOf(reading));
  const keys = [...reading.texts.keys()].filter((key) => !mayGuard(key) && older.some(({ texts }) => texts.has(key)));
  if (keys.length === 0) return undefined;
  const first = older.find(({ texts }) => texts.has(keys[0]!))!;
  return `the older ${named(first.object)} sets ${keys.join(", ")} for the same target, too`;
}

function accepted({ closed, problems }: SettingsReading, fault: Fault | undefined): DesiredCondition {
  if (fault !== undefined) return fails("Accepted", fault.reason, sentence(fault.problem));
  if (closed !== undefined) return fails("Accepted", "Invalid", wordsOfAll([closed, ...problems]));
  const more = problems.length === 0 ? "" : `. ${wordsOfAll(problems)}`;
  return holds("Accepted", `the settings are in force${more}`);
}

export interface StatusSources {
  readonly settings: AllRouteSettings;
  readonly gateways: Pick<Gateways, "parent">;
  readonly routes: readonly RouteSource[];
  readonly problems: Problems;
}

/**
 * Returns the changed statuses. `parents` are Gateways and ListenerSets that have changed, such as
 * `Gateway shop/public`.
 */
export function settingsStatuses(
  { settings, gateways, routes, problems }: StatusSources,
  parents: ReadonlySet<string>,
  turn: Turn,
): [string, DesiredStatus | undefined][] {
  const { before, now } = turn;
  if (now.snapshot.routeSettings.size === 0 && settings.changed.size === 0) return [];
  const changedRoutes = routes.flatMap(({ kind, changedRoutes: keys }) => [...keys].map((key) => objectKey(kind, key)));
  const gone = now.snapshot.gateways.changesSince(before.snapshot.gateways).map(({ key }) => objectKey("Gateway", key));
  const keys = new Set(settings.changed);
  for (const called of [...parents, ...changedRoutes, ...gone])
    for (const key of settings.keysAt(called)) keys.add(key);
  for (const route of routes) for (const key of route.settingsOfChanged) keys.add(key);
  // Settings with the same target as changed ones may have become effective, or no longer are.
  for (const key of settings.changed) for (const other of settings.beside(key)) keys.add(other);
  const world: TargetWorld = {
    seen: (called) => seen(called, turn, { gateways, routes }),
    attachedTo: (called, section) => settings.attachedTo(called, section),
    users: (key) => routes.flatMap((route) => route.usersOf(key).map((user) => objectKey(route.kind, user))),
  };
  return [...keys].map((key) => {
    const reading = settings.reading(key);
    const status = reading && settingsStatus(reading, world);
    problems.replace(objectKey("RouteSettings", key), status?.problems ?? []);
    const object = now.snapshot.routeSettings.get(key);
    const ancestors = status?.ancestors ?? [];
    return [objectKey("RouteSettings", key), object && { kind: "policy", object, ancestors }];
  });
}

function seen(
  called: string,
  { now }: Turn,
  { gateways, routes }: Pick<StatusSources, "gateways" | "routes">,
): TargetSeen | undefined {
  const [kind, key] = kindAndKey(called);
  if (kind === "Gateway" || kind === "ListenerSet") {
    const object = (kind === "Gateway" ? now.snapshot.gateways : now.snapshot.listenerSets).get(key);
    const sections = (object?.spec?.listeners ?? []).map(({ name }) => name);
    return object && { isOurs: gateways.parent(called) !== undefined, sections };
  }
  const { httpRoutes, grpcRoutes } = now.snapshot;
  const route = (kind === "HTTPRoute" ? httpRoutes : grpcRoutes).get(key);
  const sections = (route?.spec?.rules ?? []).flatMap(({ name }) => name ?? []);
  return route && { isOurs: routes.some((one) => one.kind === kind && one.isOurs(key)), sections };
}
