/** The API server's rules for an Ingress and for an IngressClass (networking.k8s.io/v1). */
import { shown } from "../../core/kinds/kind.ts";
import { isMapping } from "../../core/model/mapping.ts";
import {
  anything,
  type Check,
  type Finding,
  fine,
  lacking,
  listOf,
  port,
  type Rule,
  record,
  text,
  word,
  wrong,
} from "./check.ts";
import { metadata } from "./metadata.ts";
import { ambiguousPart, dnsLabel, dnsSubdomain, host, portName, tlsHost } from "./names.ts";

/** Requires exactly one of two fields. */
function oneOf(one: string, other: string): Check {
  return (value) => {
    const has = (name: string) => isMapping(value) && value[name] !== undefined && value[name] !== null;
    if (has(one) !== has(other)) return fine;
    return wrong([], has(one) ? `${one} and ${other} exclude each other` : `it needs ${one} or ${other}`);
  };
}

/** Fields that Ingresses had before networking.k8s.io/v1, and that many tutorials still show. */
const ended: Check = (value) => {
  const { serviceName, servicePort } = value as { readonly serviceName?: unknown; readonly servicePort?: unknown };
  const port = typeof servicePort === "number" || /^\d+$/.test(String(servicePort)) ? "number" : "name";
  const written = `service: { name: ${serviceName ?? "NAME"}, port: { ${port}: ${servicePort ?? "PORT"} } }`;
  return wrong([], `serviceName and servicePort ended with Kubernetes 1.22; write ${written}`);
};

const backend: Check = (value) => {
  const isEnded = isMapping(value) && (Object.hasOwn(value, "serviceName") || Object.hasOwn(value, "servicePort"));
  return isEnded ? ended(value) : presentBackend(value);
};

/**
 * Checks a port's number. A text that is not a number is probably a name, which belongs in the
 * field `name`.
 */
const portNumber: Check = (value) =>
  typeof value === "string" && !/^\d+$/.test(value)
    ? wrong([], `text is given where a number is required; the name of a port is written as name: ${shown(value)}`)
    : port(value);

const portFields = record({ name: text(portName), number: portNumber }, [], oneOf("name", "number"));

/** Checks a port. Many users write the number itself, as in a Service. */
const servicePort: Check = (value) => {
  if (typeof value !== "number" && typeof value !== "string") return portFields(value);
  const name = /^[\w-]{1,15}$/.test(String(value)) ? value : "NAME";
  const written = /^\d+$/.test(String(value)) ? `{ number: ${value} }` : `{ name: ${name} }`;
  return wrong([], `the port is given where a mapping is required; write port: ${written}`);
};

const presentBackend = record(
  {
    service: record(
      {
        name: text(dnsLabel),
        port: servicePort,
      },
      ["name", "port"],
    ),
    resource: record({ apiGroup: text(dnsSubdomain), kind: text(), name: text() }, ["kind", "name"]),
  },
  [],
  oneOf("service", "resource"),
);

const path: Check = (value) => {
  if (!isMapping(value)) return fine;
  const given = value.path ?? "";
  const why = pathMistake(String(given), value.pathType === "ImplementationSpecific");
  return why === undefined ? fine : wrong(value.path === undefined ? [] : ["path"], why);
};

function pathMistake(given: string, free: boolean): string | undefined {
  if (free) return given === "" || given.startsWith("/") ? undefined : `${shown(given)} does not begin with /`;
  if (!given.startsWith("/")) return `${shown(given)} does not begin with /`;
  const part = ambiguousPart(given);
  return part === undefined ? undefined : `${shown(given)} has ${part} in it`;
}

const types = ["Exact", "Prefix", "ImplementationSpecific"];
const knownPath = record({ path: text(), pathType: word(...types), backend }, ["pathType", "backend"], path);

/** The earlier version of the API had no pathType, so its users need to know what to write. */
const pathEntry: Check = (value) => {
  const findings = knownPath(value);
  return findings.length === 0 ? fine : findings.map(withPathTypes);
};

const withPathTypes = (finding: Finding): Finding =>
  finding.lacks === "pathType" ? { ...finding, why: `${finding.why}; write one of ${types.join(", ")}` } : finding;

const rule = record({
  host: text((value) => (value === "" ? undefined : host(value))),
  http: record(
    {
      paths: listOf(pathEntry, 1),
    },
    ["paths"],
  ),
});

const routesSomething: Check = (value) => {
  const { rules, defaultBackend } = value as { readonly rules?: readonly unknown[]; readonly defaultBackend?: unknown };
  const has = (rules ?? []).length > 0 || (defaultBackend !== undefined && defaultBackend !== null);
  return has ? fine : lacking("rules", "it needs rules or defaultBackend");
};

const secretName: Rule = (name) => (name === "" ? undefined : dnsSubdomain(name));

/** The earlier name of `defaultBackend`. */
const endedDefault: Check = () => wrong([], "it ended with Kubernetes 1.22; write defaultBackend");

export const ingress = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    spec: record(
      {
        ingressClassName: text(dnsSubdomain),
        defaultBackend: backend,
        backend: endedDefault,
        rules: listOf(rule),
        tls: listOf(record({ hosts: listOf(text(tlsHost)), secretName: text(secretName) })),
      },
      [],
      routesSomething,
    ),
    status: anything,
  },
  ["metadata", "spec"],
);

const controllerName: Rule = (value) =>
  /^[a-z0-9.-]+\/[\w./-]+$/i.test(value) && value.length <= 250
    ? undefined
    : `${shown(value)} is not a controller's name such as k8s.io/ingress-nginx`;

export const ingressClass = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    spec: record({ controller: text(controllerName), parameters: anything }, ["controller"]),
  },
  ["metadata", "spec"],
);
