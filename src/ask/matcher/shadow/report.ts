/**
 * Reports how requests would be answered differently if routes in shadow served. For each counted
 * pair of routes the request is decided twice, with and without the routes in shadow, and the two
 * decisions are compared. The example of a pair stands for all its requests.
 */

import { elsewhere, type Location, type Server, type Upstream } from "../../../core/model/configuration.ts";
import { serverKey } from "../../../core/model/listeners.ts";
import { serviceOfUpstream } from "../../../core/model/location.ts";
import { asFilters, policiesOf } from "../../../core/policies/filters.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { type At, atPath, type DecideOptions, decide } from "../decide.ts";
import type { Decision, End, Guard } from "../decision.ts";
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
  const now = decisionNow(at, count);
  const then = atRoute({ ...at, served: withEndpoints(served, taken.location) }, taken);
  return now === undefined || now.end.kind === "unclear" ? ["unclear"] : between(now, then);
}

function decisionNow(at: At, { listener, now }: ShadowCount): Decision | undefined {
  const { served, asked, options } = at;
  if (now.kind !== "route") return decide(served, asked, options).atHosts;
  const servers = [...served.servers.values()].filter((server) => server.listener === listener);
  const taken = servers.map((server) => takenIn(server, now)).find((one) => one !== undefined);
  return taken && atRoute(at, taken);
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

function atRoute(at: At, taken: RouteTaken): Decision {
  const { server, route } = taken;
  const host = { server, by: server.name, how: "name", tls: false, certificate: undefined } as const;
  return atPath(at, host, { kind: "location", ...taken, groups: groupsIn(route, at.request.uri) ?? [] });
}

/**
 * Returns the share of each Service and port, from 0 to 1. Canaries that only headers or cookies
 * choose get no share.
 */
function sharesOf({ backends, end }: Decision): ReadonlyMap<string, number> {
  const canaries = end.kind === "proxied" ? end.canaries : [];
  const taken = canaries.map(({ canary: { upstream, policy } }) => {
    return [serviceOfUpstream(upstream), policy.weight / policy.weightTotal] as const;
  });
  const rest = 1 - taken.reduce((sum, [, share]) => sum + share, 0);
  const own = backends.map(({ backend, share }) => [`${backend.key}:${backend.port}`, share * rest] as const);
  const sums = new Map<string, number>();
  for (const [service, share] of [...own, ...taken]) if (share > 0) sums.set(service, (sums.get(service) ?? 0) + share);
  return sums;
}

/** Returns the names of all that changes requests and answers, or copies requests. */
function filtersOf({ path }: Decision): readonly string[] {
  if (path?.kind !== "location") return [];
  const { features, filters } = path.location;
  const { backendRequest } = features;
  const host = filters === undefined ? backendRequest.host !== "" : filters.rewrite?.hostname !== undefined;
  return [...policiesOf(filters ?? asFilters(features)), ...(host ? ["host"] : [])];
}

function pathOf({ end, request }: Decision): string | undefined {
  return (end.kind === "proxied" ? end.rewritten : undefined) ?? request?.uri;
}

function between(now: Decision, then: Decision): readonly Difference[] {
  const differences: Difference[] = [...ends(now, then)];
  if (textOf(now.guards) !== textOf(then.guards)) differences.push("guards");
  if (now.end.kind === "proxied" && then.end.kind === "proxied") {
    const [shares, others] = [sharesOf(now), sharesOf(then)];
    if (!haveSameKeys(shares, others)) differences.push("backend");
    else if ([...shares].some(([key, share]) => Math.abs(share - others.get(key)!) > 0.001)) differences.push("odds");
    if (pathOf(now) !== pathOf(then)) differences.push("path");
    if (filtersOf(now).join() !== filtersOf(then).join()) differences.push("filters");
  }
  return differences.length === 0 ? ["same"] : differences;
}

function ends({ end: now }: Decision, { end: then }: Decision): readonly Difference[] {
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
