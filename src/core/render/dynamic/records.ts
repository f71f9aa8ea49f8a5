import { formOf } from "../../kinds/server-names.ts";
import type { Alias, Endpoint, Server, Upstream } from "../../model/configuration.ts";
import { addressWithPort } from "../../model/endpoint.ts";
import { canonical } from "../../model/ip-address.ts";
import { upstreamLabel } from "../../model/location.ts";
import { type Fields, hostKey, type RecordKey, sniKey } from "../../model/records.ts";
import { certificateWord } from "../../policies/client-certificate.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { listenerHostRecords } from "../gateway/host-record.ts";
import { balanceRecord } from "../location/balance-record.ts";
import { given, hostFacts, locationRecord, rewriteOf, tlsFact } from "./location-record.ts";
import { placesIn } from "./places.ts";
import type { ServerLookup, Shapes } from "./shape.ts";

type KeyedRecord = readonly [key: RecordKey, value: string];

export const defaultPair = "default";

/**
 * Returns the records of one Server: its own host, its aliases, its www twin, and the SNI names
 * that lead to it. `isText` says that it has a server block of its own. `find` returns a Server to
 * whose Locations routes lead; undefined if it is text.
 */
export function serverRecords(
  server: Server<FeatureValues>,
  shapes: Shapes,
  find: ServerLookup,
  isText: boolean,
): KeyedRecord[] {
  if (server.listener !== undefined) return listenerHostRecords(server, shapes, find);
  const records: KeyedRecord[] = [[hostKey(server.name), hostRecord(server, shapes, isText)]];
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
    records.push([hostKey(alias.name), JSON.stringify({ ...says, ...tlsFact(alias) })]);
  }
  addSni(alias, records);
}

/** Adds the record of an SNI name. A name without a certificate gets the default pair. */
function addSni({ name, certificate }: Pick<Alias, "name" | "certificate">, records: KeyedRecord[]): void {
  if (certificate !== undefined) records.push([sniKey(name), certificate]);
}

function hostRecord(server: Server<FeatureValues>, shapes: Shapes, isText: boolean): string {
  const record: Fields<"host"> = {
    ...(isText ? { text: 1 } : {}),
    locations: server.locations.map((_, at) => locationRecord(server, at, shapes)),
    ...hostFacts(server),
    ...placesIn(
      server.routes,
      ({ location }) => location + 1,
      (route) => rewriteOf(server, route),
    ),
    ...given<Fields<"host">>({ certificate: certificateWord(server.features) }),
  };
  return JSON.stringify(record);
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
