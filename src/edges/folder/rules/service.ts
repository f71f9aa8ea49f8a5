/** The API server's rules for a Service that its definition does not have. */
import { isIP } from "node:net";
import { shown } from "../../../core/kinds/kind.ts";
import type { Mapping } from "../../../core/model/mapping.ts";
import { both, type Check, fine, lacking, type Rule, text, wrong } from "../../../core/schema/findings.ts";
import { distinctBy, type Rules } from "../../../core/schema/schema.ts";
import { dnsLabel, dnsSubdomain, need, portName, qualifiedName, whole, word } from "./names.ts";

export const port = whole(1, 65_535);

const namedPort = text(portName);

const clusterIP: Rule = (value) =>
  value === "" || value === "None" || isIP(value) !== 0 ? undefined : `${shown(value)} is not an IP address or None`;

interface Port {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
}

const distinctNames = distinctBy<Port>(
  ({ name }) => name || undefined,
  (name) => `the name ${name} is given twice`,
);
const distinctNumbers = distinctBy<Port>(
  ({ port: number, protocol = "TCP" }) => `${number} is given twice for ${protocol}`,
  (double) => `port ${double}`,
);

/** Several ports must have different names, and no two may have the same number and protocol. */
const distinctPorts: Check = (value) => {
  const ports = value as readonly Port[];
  if (ports.length < 2) return fine;
  const nameless = ports.flatMap(({ name = "" }, at) =>
    name === "" ? wrong([at], "with several ports, each needs a name") : fine,
  );
  return both(nameless, both(distinctNames(ports), distinctNumbers(ports)));
};

const complete: Check = (value) => {
  const { type, externalName, ports, clusterIP: address } = value as Mapping;
  if (type === "ExternalName")
    return externalName === undefined ? wrong([], "a Service of type ExternalName needs externalName") : fine;
  const some = Array.isArray(ports) && ports.length > 0;
  return some || address === "None" ? fine : lacking("ports");
};

export const before: Rules = {
  "Service.spec.type": word("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
  "Service.spec.clusterIP": text(clusterIP),
  "Service.spec.clusterIPs[]": text(clusterIP),
  "Service.spec.externalName": text((value) => dnsSubdomain(value.replace(/\.$/, ""))),
  "Service.spec.externalIPs[]": text((value) =>
    isIP(value) === 0 ? `${shown(value)} is not an IP address` : undefined,
  ),
  "ports[].appProtocol": text(qualifiedName),
  "Service.spec.ports[].name": text(dnsLabel),
  "Service.spec.ports[].port": port,
  "Service.spec.ports[].protocol": word("TCP", "UDP", "SCTP"),
  "Service.spec.ports[].targetPort": (value) => (typeof value === "number" ? port(value) : namedPort(value)),
  "Service.spec.ports[].nodePort": whole(0, 65_535),
};

export const after: Rules = {
  Service: need("spec"),
  "Service.spec": complete,
  "Service.spec.ports": distinctPorts,
};
