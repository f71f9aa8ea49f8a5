/**
 * The API server's rules for EndpointSlices and Endpoints that their definitions do not have, with
 * one exception: addresses of this machine (127.0.0.0/8, ::1) are allowed, because `serve` runs
 * beside its backends. Link-local addresses are not, because cloud machines keep their credentials
 * there.
 */
import { isIPv4, isIPv6 } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { shown } from "../../../core/kinds/kind.ts";
import { both, type Check, fine, type Rule, text, wrong } from "../../../core/schema/findings.ts";
import { distinctBy, type Rules } from "../../../core/schema/schema.ts";
import type { Endpoints } from "../../resources.ts";
import { addressesOf, family, type Subset } from "../endpoints.ts";
import { dnsLabel, dnsSubdomain, filled, word } from "./names.ts";
import { port } from "./service.ts";

const types = ["IPv4", "IPv6", "FQDN"] as const;

const addressRules: Readonly<Record<(typeof types)[number], Rule>> = {
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

interface Slice {
  readonly addressType: (typeof types)[number];
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[];
}

/** The addresses must have the type that the slice names. */
const ofType: Check = (value) => {
  const { addressType, endpoints = [] } = value as Slice;
  const rule = addressRules[addressType];
  let findings = fine;
  for (const [at, { addresses }] of endpoints.entries())
    for (const [which, address] of addresses.entries()) {
      const why = rule(address);
      if (why !== undefined) findings = both(findings, wrong(["endpoints", at, "addresses", which], why));
    }
  return findings;
};

/** Accepts what one EndpointSlice can hold: one list of ports, and addresses of one family. */
const oneSlice: Check = (value) => {
  const { subsets = [] } = value as Endpoints;
  const other = subsets.findIndex(({ ports }) => !isDeepStrictEqual(ports ?? [], subsets[0]?.ports ?? []));
  if (other > 0)
    return wrong(
      ["subsets", other, "ports"],
      "its ports are not those of the first subset; write an EndpointSlice for each",
    );
  const families = new Set(subsets.flatMap(addressesOf).map(({ ip }) => family(ip)));
  return families.size < 2
    ? fine
    : wrong(["subsets"], "it has addresses of IPv4 and IPv6; write an EndpointSlice for each");
};

const portFields = (path: string): Rules => ({
  [`${path}.ports[].name`]: text((value) => (value === "" ? undefined : dnsLabel(value))),
  [`${path}.ports[].port`]: port,
  [`${path}.ports[].protocol`]: word("TCP", "UDP", "SCTP"),
});

const address = text((ip) => addressRules[family(ip)](ip));

export const before: Rules = {
  "EndpointSlice.addressType": word(...types),
  ...portFields("EndpointSlice"),
  ...portFields("subsets[]"),
  "subsets[].addresses[].ip": address,
  "subsets[].notReadyAddresses[].ip": address,
};

export const after: Rules = {
  EndpointSlice: ofType,
  "EndpointSlice.ports": distinctBy<{ readonly name?: string }>(
    ({ name = "" }) => name,
    (name) => (name === "" ? "with several ports, each needs a name" : `the name ${name} is given twice`),
  ),
  "endpoints[].addresses": filled,
  "subsets[]": (value) =>
    addressesOf(value as Subset).length > 0 ? fine : wrong([], "it needs addresses or notReadyAddresses"),
  Endpoints: oneSlice,
};
