/**
 * Reports how requests would be answered differently if routes in shadow served. For each counted
 * pair of routes the request is decided twice, with and without the routes in shadow, and the two
 * decisions are compared. The example of a pair stands for all its requests.
 */

import { elsewhere, type Location, type Server, type Upstream } from "../../../core/model/configuration.ts";
import { serverKey } from "../../../core/model/listeners.ts";
import { backendOf, serviceOfUpstream } from "../../../core/model/location.ts";
import { asFilters, policiesOf } from "../../../core/policies/filters.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { type At, atPath, type DecideOptions, decide } from "../decide.ts";
import type { End, Guard } from "../decision.ts";
import type { Served } from "../host.ts";
import { groupsIn, type RouteTaken } from "../paths.ts";
import { sharingTime } from "../pattern.ts";
import { type AskedRequest, readRequest } from "../request.ts";
import { type Party, readCounts, type ShadowCount } from "./counted.ts";

/**
 * Kinds of differences: the Services that get requests, their probabilities, the guards, changes to
 * headers and copies, the path that backends get, the target of a redirect, or an answer in place
 * of a backend. `same` stands for no difference.
 */
export type Difference =
  | "backend"
  | "odds"
  | "guards"
  | "filters"
  | "path"
  | "redirect"
  | "answer"
  | "unclear"
  | "same";

export interface ShadowReport extends ShadowCount {
  readonly differences: readonly Difference[];
}

/**
 * The time in milliseconds that the patterns of all tenants share. A controller makes the reports
 * by itself, for its metrics and at the end of a shadow, so they must not keep it busy.
 */
const mostMs = 200;

/**
 * Returns one report for each counted pair. `lines` are nginx's counts. Counts of matches that are
 * no longer in shadow are left out.
 */
export function shadowReports(served: Served, lines: string, options: DecideOptions): readonly ShadowReport[] {
  return sharingTime(mostMs, () => reportsOf(served, lines, options));
}

function reportsOf(served: Served, lines: string, options: DecideOptions): readonly ShadowReport[] {
  return readCounts(lines)
    .flatMap((count): ShadowReport[] => {
      const differences = differencesOf(served, count, options);
      return differences === undefined ? [] : [{ ...count, example: withoutValues(count.example), differences }];
    })
    .sort((one, other) => compared(one.host, other.host) || compared(one.shadow.path, other.shadow.path));
}

/**
 * Removes parts of the query without a name, which may be tokens. nginx has removed the values
 * already.
 */
function withoutValues(example: string): string {
  const at = example.indexOf("?");
  if (at < 0) return example;
  const parts = example.slice(at + 1).split("&");
  return `${example.slice(0, at)}?${parts.map((part) => (part.includes("=") ? part : "…")).join("&")}`;
}

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

interface Outcome {
  readonly guards: readonly Guard[];
  readonly end: End;
  /** Shares by Service and port, from 0 to 1. */
  readonly shares: ReadonlyMap<string, number>;
  /** The path that backends get. */
  readonly path: string;
  readonly filters: readonly string[];
}

function differencesOf(served: Served, count: ShadowCount, options: DecideOptions): readonly Difference[] | undefined {
  const { listener, host } = count;
  const shadow = served.shadows.get(serverKey({ listener, name: host }));
  const port = [...served.listenerPorts.values()].find(({ listeners }) => listeners.some(({ id }) => id === listener));
  const own = port?.listeners.find(({ id }) => id === listener);
  const taken = shadow && takenIn(shadow, count.shadow);
  const asked = askedBy(count.example);
  const request = asked && readRequest(asked);
  if (port === undefined || own === undefined || taken === undefined) return undefined;
  if (asked === undefined || request === undefined) return ["unclear"];
  const at = { served, asked, request, options, port, listener: own };
  const now = outcomeNow(at, count);
  const then = ofRoute({ ...at, served: withEndpoints(served, taken.location) }, taken);
  return now === undefined ? ["unclear"] : between(now, then);
}

function outcomeNow(at: At, { listener, now }: ShadowCount): Outcome | undefined {
  const { served, asked, options } = at;
  if (now.kind !== "route") return ofIngress(served, asked, options);
  const servers = [...served.servers.values()].filter((server) => server.listener === listener);
  const taken = servers.map((server) => takenIn(server, now)).find((one) => one !== undefined);
  return taken && ofRoute(at, taken);
}

/**
 * Returns the first match with this name and path. Further matches with other conditions lead to
 * the same rule.
 */
function takenIn(server: Server<FeatureValues>, { name, rule, path }: Party): RouteTaken | undefined {
  const route = server.routes.find(({ location: at }) => {
    if (at === elsewhere) return false;
    const { owner, rule: own = "", path: its } = server.locations[at]!;
    return `${owner?.namespace}/${owner?.name}` === name && own === rule && its === path;
  });
  return route && { server, route, location: server.locations[route.location]! };
}

function askedBy(example: string): AskedRequest | undefined {
  const [, method, scheme, host, target] = /^(\S+) (https?):\/\/([^/]+)(\/.*)$/.exec(example) ?? [];
  if (method === undefined || host === undefined || target === undefined) return undefined;
  return { method, scheme: scheme as "http" | "https", host, target, headers: new Map() };
}

/**
 * Adds an endpoint to each Service that only routes in shadow name, because the endpoints of such
 * Services are not watched.
 */
function withEndpoints(served: Served, { backends }: Location<FeatureValues>): Served {
  const missing = backends.filter(({ upstream }) => !served.upstreams.has(upstream));
  const assumed = missing.map(({ upstream: id }): readonly [string, Upstream] => {
    const endpoints = [{ address: "192.0.2.1", port: 80 }];
    return [id, { id, label: id, endpoints, balance: { algorithm: "round_robin" } } as unknown as Upstream];
  });
  return missing.length === 0 ? served : { ...served, upstreams: served.upstreams.with(assumed) };
}

function ofRoute(at: At, taken: RouteTaken): Outcome {
  const { server } = taken;
  const host = { server, by: server.name, how: "name", tls: false, certificate: undefined } as const;
  const { guards, end, backends } = atPath(at, host, {
    kind: "location",
    ...taken,
    groups: groupsIn(taken.route, at.request.uri) ?? [],
  });
  const { filters = {} } = taken.location;
  const { mirrors = [], rewrite } = filters;
  return {
    guards,
    end,
    shares: sumsOf(backends.map(({ backend, share }) => [`${backend.key}:${backend.port}`, share])),
    path: (end.kind === "proxied" ? end.rewritten : undefined) ?? at.request.uri,
    filters: [
      ...policiesOf(filters),
      ...(mirrors.length === 0 ? [] : ["mirror"]),
      ...(rewrite?.hostname === undefined ? [] : ["host"]),
    ],
  };
}

function ofIngress(served: Served, asked: AskedRequest, options: DecideOptions): Outcome | undefined {
  const { request, path, guards, end } = decide(served, asked, options);
  if (request === undefined || end.kind === "unclear") return undefined;
  const location = path?.kind === "location" ? path.location : undefined;
  return {
    guards,
    end,
    shares: location === undefined ? new Map() : ingressShares(location),
    path: (end.kind === "proxied" ? end.rewritten : undefined) ?? request.uri,
    filters: location === undefined ? [] : ingressFilters(location.features),
  };
}

/** Returns the share of each Service. Canaries that only headers or cookies choose get no share. */
function ingressShares(location: Location<FeatureValues>): ReadonlyMap<string, number> {
  const { key, port } = backendOf(location);
  const canaries = location.canaries.map(({ upstream, policy }) => {
    return [serviceOfUpstream(upstream), policy.weight / policy.weightTotal] as const;
  });
  const taken = canaries.reduce((sum, [, share]) => sum + share, 0);
  return sumsOf([[`${key}:${port}`, 1 - taken], ...canaries]);
}

function sumsOf(shares: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [service, share] of shares) if (share > 0) sums.set(service, (sums.get(service) ?? 0) + share);
  return sums;
}

function ingressFilters(features: FeatureValues): readonly string[] {
  const { mirror, backendRequest } = features;
  return [
    ...policiesOf(asFilters(features)),
    ...(mirror.target === "" ? [] : ["mirror"]),
    ...(backendRequest.host === "" ? [] : ["host"]),
  ];
}

function between(now: Outcome, then: Outcome): readonly Difference[] {
  const differences: Difference[] = [...ends(now, then)];
  if (textOf(now.guards) !== textOf(then.guards)) differences.push("guards");
  if (now.end.kind === "proxied" && then.end.kind === "proxied") {
    if (!haveSameKeys(now.shares, then.shares)) differences.push("backend");
    else if ([...now.shares].some(([key, share]) => Math.abs(share - then.shares.get(key)!) > 0.001))
      differences.push("odds");
    if (now.path !== then.path) differences.push("path");
    if (now.filters.join() !== then.filters.join()) differences.push("filters");
  }
  return differences.length === 0 ? ["same"] : differences;
}

function ends({ end: now }: Outcome, { end: then }: Outcome): readonly Difference[] {
  if (now.kind === "unclear" || then.kind === "unclear") return ["unclear"];
  const [one, other] = [locationIn(now), locationIn(then)];
  if (one !== undefined || other !== undefined) return one === other ? [] : ["redirect"];
  if (now.kind !== then.kind) return ["answer"];
  return now.kind === "answer" && then.kind === "answer" && now.status !== then.status ? ["answer"] : [];
}

function locationIn(end: End): string | undefined {
  return end.kind === "answer" && end.location !== undefined ? `${end.status} ${end.location}` : undefined;
}

/**
 * Returns the guards as text. Redirects are left out: they are guards, too, but their targets are
 * compared elsewhere.
 */
function textOf(guards: readonly Guard[]): string {
  const own = guards.filter(({ outcome, status = 503 }) => outcome !== "stops" || status >= 400);
  return own.map(({ what, says }) => `${what} ${says}`).join("\n");
}

function haveSameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every((key) => other.has(key));
}
