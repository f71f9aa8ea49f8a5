/**
 * Describes a Configuration in the terms of users: paths and where they lead, hosts and their
 * certificates, backends.
 */

import { hostnameOf } from "../ask/routes/listeners.ts";
import { dashed } from "../base/dashed.ts";
import { conditionWords } from "../core/model/condition-words.ts";
import {
  type Configuration,
  catchAll,
  type Location,
  type Route,
  SecretText,
  type Server,
} from "../core/model/configuration.ts";
import type { ListenerPort } from "../core/model/listeners.ts";
import { backendOf } from "../core/model/location.ts";
import type { FeatureValues } from "../core/policies/registry.ts";
import type { Settings } from "../core/settings/registry.ts";
import { featureChange } from "./feature-change.ts";

type Whole = Configuration<Settings, FeatureValues>;

export interface Change {
  readonly what: "listener" | "path" | "host" | "backend";
  readonly name: string;
  readonly how: "added" | "removed" | "changed";
  /**
   * What is compared, such as the target of a path or the number of endpoints of a backend. A
   * changed one has the old and the new value.
   */
  readonly detail: string;
}

/** Returns the changes, sorted by kind and name. */
export function changesBetween(before: Whole, after: Whole): readonly Change[] {
  const hosts = after.servers.changesSince(before.servers).flatMap((change) => [
    ...compared("path", pathsOf(change.before, before), pathsOf(change.after, after)),
    // A new or removed host is shown by its paths.
    ...compared("host", hostOf(change.before), hostOf(change.after)).filter(({ how }) => how === "changed"),
  ]);
  const backends = after.upstreams.changesSince(before.upstreams).flatMap((change) => {
    const count = (upstream: typeof change.before) =>
      new Map(upstream && [[change.key, facts({ endpoints: upstream.endpoints, balance: upstream.balance })]]);
    return compared("backend", count(change.before), count(change.after));
  });
  const listeners = after.listenerPorts
    .changesSince(before.listenerPorts)
    .flatMap((change) => compared("listener", listenersOf(change.before), listenersOf(change.after)));
  return [...listeners, ...hosts, ...backends].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

const textOf = ({ what, name }: Change): string => `${["listener", "path", "host", "backend"].indexOf(what)} ${name}`;

/**
 * The parts of a listener, path, host or backend that are compared, by their names for people, each
 * with its printed form.
 */
type Facts = ReadonlyMap<string, Fact>;

interface Fact {
  readonly value: unknown;
  readonly shown: string;
  /** The name of the feature whose value it is. */
  readonly feature?: string;
}

function compared(
  what: Change["what"],
  before: ReadonlyMap<string, Facts>,
  after: ReadonlyMap<string, Facts>,
): Change[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name): Change[] => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === undefined) return [{ what, name, how: "added", detail: first(is!) }];
    if (is === undefined) return [{ what, name, how: "removed", detail: first(was) }];
    const different = [...is].filter(([fact, { value }]) => !isSame(value, was.get(fact)?.value));
    if (different.length === 0) return [];
    const detail = different.map(([fact, now]) => changeText(fact, was.get(fact), now)).join(", ");
    return [{ what, name, how: "changed", detail }];
  });
}

/** Passwords and keys are compared here but never printed. */
function isSame(one: unknown, other: unknown): boolean {
  const whole = (value: unknown): string | undefined =>
    JSON.stringify(value, function (this: Record<string, unknown>, name, shown) {
      const held = this[name];
      return held instanceof SecretText ? held.reveal() : shown;
    });
  return one === other || whole(one) === whole(other);
}

/** Returns, for example, `leads to shop/web:80`. */
function first(facts: Facts): string {
  const [[name, { shown }] = ["", { shown: "" }]] = facts;
  return `${name} ${shown}`;
}

/** Returns `leads to shop/web:80 -> shop/web2:80`, or only the name if both look alike. */
function changeText(name: string, was: Fact | undefined, is: Fact): string {
  if (is.feature !== undefined) return featureChange(is.feature, name, was?.value, is.value);
  const before = was?.shown ?? "";
  return before === is.shown ? name : `${name} ${before || "nothing"} -> ${is.shown || "nothing"}`;
}

function pathsOf(server: Server<FeatureValues> | undefined, { listenerPorts }: Whole): ReadonlyMap<string, Facts> {
  const host = server === undefined ? "" : hostnameOf(server, listenerPorts);
  const at = server?.listener === undefined ? "" : ` at ${server.listener}`;
  return new Map(
    server?.locations.map((location, place) => {
      const routes = server.routes.filter((route) => "location" in route && route.location === place);
      const when = conditionWords(routes[0]?.conditions);
      const what = [typeOf(routes), ...(when === "" ? [] : [when])].join(", ");
      return [`${host}${location.path} (${what})${at}`, locationFacts(location)] as const;
    }),
  );
}

function typeOf(routes: readonly Route[]): string {
  return (
    ["regex", "pattern", "prefix", "exact"].find((match) => routes.some((route) => route.match === match)) ??
    "unreachable"
  );
}

function locationFacts(location: Location<FeatureValues>): Facts {
  const { owner, canaries, closed, features } = location;
  const { upstream } = backendOf(location);
  const owned = owner === undefined ? "/" : `${owner.namespace}/${owner.name}`;
  const settings = Object.entries(features).map(
    ([feature, value]) => [dashed(feature), { value, shown: "", feature }] as const,
  );
  return new Map<string, Fact>([
    ["leads to", { value: upstream, shown: targetOf(location) }],
    ["belongs to", { value: owner, shown: owned }],
    ...(isOfRoute(location) ? routeFacts(location) : []),
    ["canaries", { value: canaries, shown: String(canaries.length) }],
    ["answers 503", { value: closed !== undefined, shown: String(closed !== undefined) }],
    ...settings,
  ]);
}

/**
 * Describes the target of a Location. A rule of a route may have several backends, or none because
 * it redirects.
 */
function targetOf(location: Location<FeatureValues>): string {
  const { backends, filters } = location;
  if (filters?.redirect !== undefined) return `a redirect with ${filters.redirect.status}`;
  if (isOfRoute(location) && backends.length > 1) return sharesOf(backends);
  const { key, port } = backendOf(location);
  return key === "" ? "the default backend" : `${key}:${port}`;
}

function sharesOf(backends: Location<FeatureValues>["backends"]): string {
  return backends.map(({ key, port, weight }) => `${key === "" ? "nothing" : `${key}:${port}`} (${weight})`).join(", ");
}

/** Returns the listeners of one port of a Gateway, by name. */
function listenersOf(port: ListenerPort | undefined): ReadonlyMap<string, Facts> {
  return new Map(
    port?.listeners.map(({ id, hostname, certificates }) => [
      id,
      facts({
        port: port.port,
        hostname: hostname || "of all hosts",
        address: port.address ?? "all",
        tls: port.tls,
        certificates,
        clients: port.clients ?? "not asked for certificates",
      }),
    ]),
  );
}

function isOfRoute({ owner }: Location<FeatureValues>): boolean {
  return owner !== undefined && owner.kind !== "Ingress";
}

function routeFacts({ backends, filters }: Location<FeatureValues>): [string, Fact][] {
  return [
    ["backends", { value: backends, shown: sharesOf(backends) }],
    ["filters", { value: filters, shown: Object.keys(filters ?? {}).join(", ") }],
  ];
}

function hostOf(server: Server<FeatureValues> | undefined): ReadonlyMap<string, Facts> {
  if (server === undefined || server.name === catchAll) return new Map();
  const { certificate = "the default one", tlsConfigured, aliases, redirectFrom } = server;
  const names = [...aliases, ...(redirectFrom === undefined ? [] : [redirectFrom])].map(({ name }) => name);
  return new Map([[server.name, facts({ certificate, "https redirect": tlsConfigured, aliases: names })]]);
}

function facts(values: Readonly<Record<string, unknown>>): Facts {
  const shown = (value: unknown): string =>
    Array.isArray(value) ? String(value.length) : typeof value === "object" ? "" : String(value);
  return new Map(Object.entries(values).map(([name, value]) => [name, { value, shown: shown(value) }]));
}
