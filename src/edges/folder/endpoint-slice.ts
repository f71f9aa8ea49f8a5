/**
 * Checks an EndpointSlice by the rules of the API server, with one exception: addresses of this
 * machine (127.0.0.0/8, ::1) are allowed, because `serve` runs beside its backends. Link-local
 * addresses are not, because cloud machines keep their credentials there.
 */
import { isIPv4, isIPv6 } from "node:net";
import { shown } from "../../core/kinds/kind.ts";
import { isMapping } from "../../core/model/mapping.ts";
import {
  anything,
  boolean,
  both,
  type Check,
  fine,
  listOf,
  port,
  type Rule,
  record,
  text,
  word,
  wrong,
} from "./check.ts";
import { metadata } from "./metadata.ts";
import { dnsLabel, dnsSubdomain } from "./names.ts";

const types = ["IPv4", "IPv6", "FQDN"] as const;

export const addressRules: Readonly<Record<(typeof types)[number], Rule>> = {
  IPv4: (value) => {
    if (!isIPv4(value)) return `${shown(value)} is not an IPv4 address`;
    return /^(0\.0\.0\.0$|169\.254\.|224\.0\.0\.)/.test(value) ? unusable(value) : undefined;
  },
  IPv6: (value) => {
    if (!isIPv6(value) || value.includes("%")) return `${shown(value)} is not an IPv6 address`;
    return /^(::$|fe[89ab][0-9a-f]:|ff[0-9a-f]2:)/i.test(value) ? unusable(value) : undefined;
  },
  FQDN: (value) => dnsSubdomain(value),
};

function unusable(value: string): string {
  return `${value} is unspecified, link-local or multicast, which no endpoint may be`;
}

/** The addresses must have the type that the slice names. */
const addresses: Check = (value) => {
  if (!isMapping(value)) return fine;
  const rule = addressRules[value.addressType as (typeof types)[number]];
  const endpoints = (value.endpoints ?? []) as readonly { readonly addresses: readonly string[] }[];
  let findings = fine;
  for (const [at, endpoint] of endpoints.entries())
    for (const [which, address] of endpoint.addresses.entries()) {
      const why = rule(address);
      if (why !== undefined) findings = both(findings, wrong(["endpoints", at, "addresses", which], why));
    }
  return findings;
};

export const slicePorts = listOf(
  record({
    name: text((value) => (value === "" ? undefined : dnsLabel(value))),
    port,
    protocol: word("TCP", "UDP", "SCTP"),
    appProtocol: text(),
  }),
);

export const endpointSlice = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    addressType: word(...types),
    endpoints: listOf(
      record(
        {
          addresses: listOf(text(), 1),
          conditions: record({ ready: boolean, serving: boolean, terminating: boolean }),
          hints: record({
            forZones: listOf(record({ name: text() }, ["name"])),
            forNodes: listOf(record({ name: text() }, ["name"])),
          }),
          hostname: text(),
          nodeName: text(),
          zone: text(),
          targetRef: anything,
          deprecatedTopology: anything,
        },
        ["addresses"],
      ),
    ),
    ports: slicePorts,
  },
  ["metadata", "addressType"],
  addresses,
);
