/**
 * Checks a Service by the rules of the API server, as far as Sluice reads it; other fields may have
 * any value.
 */
import { isIP } from "node:net";
import { shown } from "../../core/kinds/kind.ts";
import { isMapping } from "../../core/model/mapping.ts";
import {
  anything,
  both,
  type Check,
  type Finding,
  fine,
  isRefused,
  lacking,
  listOf,
  port,
  type Rule,
  record,
  text,
  whole,
  word,
  wrong,
} from "./check.ts";
import { metadata } from "./metadata.ts";
import { dnsLabel, dnsSubdomain, portName } from "./names.ts";

const protocol = word("TCP", "UDP", "SCTP");

const namedPort = text(portName);

const targetPort: Check = (value) => (typeof value === "number" ? port(value) : namedPort(value));

const clusterIP: Rule = (value) =>
  value === "" || value === "None" || isIP(value) !== 0 ? undefined : `${shown(value)} is not an IP address or None`;

const eachPort = listOf(
  record(
    {
      name: text(dnsLabel),
      port,
      protocol,
      targetPort,
      nodePort: whole(0, 65_535),
      appProtocol: text(),
    },
    ["port"],
  ),
);

/** Several ports must have different names, and no two may have the same number and protocol. */
const distinctPorts: Check = (value) => {
  const ports = value as readonly { readonly name?: string; readonly port: number; readonly protocol?: string }[];
  if (ports.length < 2) return fine;
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const [at, { name = "", port: number, protocol: given = "TCP" }] of ports.entries()) {
    if (name === "") findings.push(...wrong([at], "with several ports, each needs a name"));
    for (const [sign, why] of [
      [`name ${name}`, `the name ${name} is given twice`],
      [`${number}/${given}`, `port ${number} is given twice for ${given}`],
    ] as const) {
      if (sign !== "name " && seen.has(sign)) findings.push(...wrong([at], why));
      seen.add(sign);
    }
  }
  return findings;
};

const ports: Check = (value) => {
  const findings = eachPort(value);
  return isRefused(findings) ? findings : both(findings, distinctPorts(value));
};

const complete: Check = (value) => {
  if (!isMapping(value)) return [];
  const { type, externalName, ports: given, clusterIP: address } = value;
  if (type === "ExternalName")
    return externalName === undefined ? wrong([], "a Service of type ExternalName needs externalName") : [];
  const some = Array.isArray(given) && given.length > 0;
  return some || address === "None" ? [] : lacking("ports");
};

const unread = [
  "selector",
  "sessionAffinity",
  "sessionAffinityConfig",
  "loadBalancerIP",
  "loadBalancerSourceRanges",
  "loadBalancerClass",
  "externalTrafficPolicy",
  "internalTrafficPolicy",
  "healthCheckNodePort",
  "publishNotReadyAddresses",
  "ipFamilies",
  "ipFamilyPolicy",
  "allocateLoadBalancerNodePorts",
];

export const service = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsLabel),
    spec: record(
      {
        type: word("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
        clusterIP: text(clusterIP),
        clusterIPs: listOf(text(clusterIP)),
        externalName: text((value) => dnsSubdomain(value.toLowerCase().replace(/\.$/, ""))),
        externalIPs: listOf(text()),
        ports,
        trafficDistribution: text(),
        ...Object.fromEntries(unread.map((name) => [name, anything])),
      },
      [],
      complete,
    ),
    status: anything,
  },
  ["metadata", "spec"],
);
