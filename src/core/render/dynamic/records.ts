/**
 * Routes, Upstreams and Certificates as data: one record per host, per Upstream and per
 * Certificate, as JSON that the Lua in `nginx/lua` reads. A record's text depends only on its noun,
 * so equal nouns cause no change.
 */

import { isBackendVariable } from "../../kinds/request-variables.ts";
import { targetVariables } from "../../kinds/rewrite-target.ts";
import { formOf } from "../../kinds/server-names.ts";
import type { Alias, Endpoint, Location, Server, Upstream } from "../../model/configuration.ts";
import { addressWithPort } from "../../model/endpoint.ts";
import { canonical } from "../../model/ip-address.ts";
import { backendOf, closedReason, upstreamLabel } from "../../model/location.ts";
import { type Fields, hostKey, type RecordKey, recordFields, sniKey } from "../../model/records.ts";
import { holds, hostRecordOf, recordOf } from "../../policies/hooks.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { escapedPath } from "../../tokens/path-words.ts";
import { groupsOf, numbered } from "../../tokens/pattern-groups.ts";
import { listenerHostRecords } from "../gateway/host-record.ts";
import { balanceRecord, canaryRecord } from "../location/balance-record.ts";
import { hopOf } from "../location/hops.ts";
import { keptBy } from "../location/kept-by.ts";
import { expandable } from "./expandable.ts";
import type { Shapes } from "./shape.ts";

type KeyedRecord = readonly [key: RecordKey, value: string];

export const defaultPair = "default";

/**
 * Returns the records of one Server: its own host, its aliases, its www twin, and the SNI names
 * that lead to it.
 */
export function serverRecords(server: Server<FeatureValues>, shapes: Shapes): KeyedRecord[] {
  if (server.listener !== undefined) return listenerHostRecords(server, shapes);
  const records: KeyedRecord[] = [[hostKey(server.name), hostRecord(server, shapes)]];
  addSni(server, records);
  for (const alias of server.aliases) addAlias(alias, { as: server.name }, records);
  if (server.redirectFrom !== undefined) addAlias(server.redirectFrom, { to: server.name }, records);
  return records;
}

/**
 * Adds the record of an alias. Only exact names have one; patterns are in the record of
 * `host-patterns.ts`.
 */
function addAlias(alias: Alias, says: Fields<"host">, records: KeyedRecord[]): void {
  if (formOf(alias.name) === "exact") {
    records.push([hostKey(alias.name), JSON.stringify({ ...says, ...tls(alias) })]);
  }
  addSni(alias, records);
}

/** Adds the record of an SNI name. A name without a certificate gets the default pair. */
function addSni({ name, certificate }: Pick<Alias, "name" | "certificate">, records: KeyedRecord[]): void {
  if (certificate !== undefined) records.push([sniKey(name), certificate]);
}

function hostRecord(server: Server<FeatureValues>, shapes: Shapes): string {
  const { locations, routes } = server;
  const exact: Record<string, number> = {};
  const prefixes: (readonly [path: string, location: number])[] = [];
  const slash: Record<string, readonly [string, number]> = {};
  const regex: (readonly (string | number)[])[] = [];
  for (const route of routes) {
    if (route.match === "slash") slash[route.path] = [`${escapedPath(route.path)}/`, route.location + 1];
    // Lua counts from 1.
    else if (route.match === "exact") exact[route.path] = route.location + 1;
    else if (route.match === "prefix") prefixes.push([route.path, route.location + 1]);
    else if (route.match === "pattern") continue;
    else if (route.rewrite === undefined) regex.push([`^${groupsOf(route.path).text}`, route.location + 1]);
    else {
      const { prefix } = locations[route.location]!.features.backendRequest;
      const forwardedPrefix = prefix === "" ? [] : [expandable(numbered(prefix, route.path), isBackendVariable)];
      regex.push([
        `^${groupsOf(route.path).text}`,
        route.location + 1,
        expandable(route.rewrite, targetVariables(route.rewrite)),
        ...forwardedPrefix,
      ]);
    }
  }
  const record: Fields<"host"> = {
    ...tls(server),
    locations: locations.map((location, at) =>
      locationRecord(location, server.features, shapes, { kept: keptBy(server, at), hop: hopOf(server, at) }),
    ),
    ...given<Fields<"host">>({
      root: expandable(server.appRoot ?? ""),
      // The text behind the label that its wildcard stands for.
      parent: server.name.startsWith("*.") ? server.name.slice(1) : "",
      exact,
      prefix: prefixes.sort(([a], [b]) => Buffer.byteLength(b) - Buffer.byteLength(a)).flat(),
      slash,
      regex,
      ...hostRecordOf(server.features),
    }),
  };
  return JSON.stringify(record);
}

function tls({ tlsConfigured }: Pick<Alias, "tlsConfigured">) {
  return tlsConfigured ? { tls: 1 } : {};
}

/** Variables that identify a Location, if something reads them. */
interface Own {
  readonly kept: string;
  readonly hop: string;
}

function locationRecord(
  location: Location<FeatureValues>,
  host: FeatureValues,
  shapes: Shapes,
  own: Own,
): Fields<"location"> {
  const { name, variables } = shapes.of(location, host);
  const { upstream } = backendOf(location);
  const all: Fields<"location"> = {
    ...recordOf(location.features),
    shape: name,
    upstream,
    ingress: location.owner?.name,
    ...namesOf(location),
    path: location.path,
    closed: closedReason(location),
    variables: { ...given({ ...own, tls: location.ownTls === true ? "1" : "" }), ...variables },
    canaries: location.canaries.map(canaryRecord),
    standIn: standInRecord(location, host, shapes),
    rewritesLate: location.keepsUri === true ? 0 : lateness(location.features),
  };
  return inFieldOrder(all);
}

/**
 * Returns the names of the backend unless the id of the upstream says the same. decode.lua reads
 * them from that id, and most records of hosts are then small enough for half the shared memory.
 */
function namesOf(location: Location<FeatureValues>): Fields<"location"> {
  const { upstream, service, port } = backendOf(location);
  const namespace = location.owner?.namespace;
  return upstream === `${namespace}/${service}/${port}` ? {} : { namespace, service, port };
}

/** Returns 1 if the text of the location rewrites, and 2 if it changes the path before that. */
function lateness(features: FeatureValues): 0 | 1 | 2 {
  if (!holds("rewritesLate", features, "location")) return 0;
  return holds("rewritesAgain", features, "location") ? 2 : 1;
}

/**
 * Returns the fields without empty ones and in the protocol's order, so that a new version of
 * Sluice does not publish equal records again.
 */
function inFieldOrder(fields: Fields<"location">): Fields<"location"> {
  const ordered: { -readonly [F in keyof Fields<"location">]: unknown } = {};
  recordFields.location.forEach((name) => {
    if (!isEmpty(fields[name])) ordered[name] = fields[name];
  });
  return ordered;
}

function standInRecord(location: Location<FeatureValues>, host: FeatureValues, shapes: Shapes): Fields<"standIn"> {
  if (location.standIn === undefined) return {};
  return { upstream: location.standIn, shape: shapes.standInOf(location, host).name };
}

export function upstreamRecord({ id, label, endpoints, balance }: Upstream): string {
  const record: Fields<"upstream"> = {
    ...(label === upstreamLabel(id) ? {} : { label }),
    endpoints: endpoints.map(addressOf),
    balance: balanceRecord(balance, label),
  };
  return JSON.stringify(record);
}

/**
 * Returns `address:port` as nginx writes it, because the balancer finds tried endpoints by these
 * texts in $upstream_addr.
 */
function addressOf({ address, port }: Endpoint): string {
  return addressWithPort({ address: address.includes(":") ? canonical(address) : address, port });
}

/**
 * Returns the fields with a value. Empty fields are left out, because there are ten thousand
 * records.
 */
function given<T extends object>(fields: T): Partial<T> {
  const filled: Partial<T> = {};
  for (const name in fields) if (!isEmpty(fields[name])) filled[name] = fields[name];
  return filled;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return value === "" || value === 0;
  for (const _ in value) return false;
  return true;
}
