/**
 * The API server's rules for an Ingress and for an IngressClass that their definitions do not have.
 */
import { shown } from "../../../core/kinds/kind.ts";
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { type Check, fine, isAbsent, lacking, type Rule, text, wrong } from "../../../core/schema/findings.ts";
import type { Rules } from "../../../core/schema/schema.ts";
import { ambiguousPart, dnsLabel, dnsSubdomain, filled, host, need, portName, tlsHost, whole, word } from "./names.ts";

/** Requires exactly one of two fields. */
function oneOf(one: string, other: string): Check {
  return (value) => {
    const [has, hasOther] = [one, other].map((name) => !isAbsent((value as Mapping)[name]));
    if (has !== hasOther) return fine;
    return wrong([], has ? `${one} and ${other} exclude each other` : `it needs ${one} or ${other}`);
  };
}

/** Fields that Ingresses had before networking.k8s.io/v1, and that many tutorials still show. */
const ended: Check = (value) => {
  if (!isMapping(value)) return fine;
  const { serviceName, servicePort } = value;
  if (serviceName === undefined && servicePort === undefined) return fine;
  const port = typeof servicePort === "number" || /^\d+$/.test(String(servicePort)) ? "number" : "name";
  const written = `service: { name: ${serviceName ?? "NAME"}, port: { ${port}: ${servicePort ?? "PORT"} } }`;
  return wrong([], `serviceName and servicePort ended with Kubernetes 1.22; write ${written}`);
};

const inRange = whole(1, 65_535);

/**
 * Checks a port's number. A text that is not a number is probably a name, which belongs in the
 * field `name`.
 */
const portNumber: Check = (value) =>
  typeof value === "string" && !/^\d+$/.test(value)
    ? wrong([], `text is given where a number is required; the name of a port is written as name: ${shown(value)}`)
    : inRange(value);

/** Checks a port. Many users write the number itself, as in a Service. */
const servicePort: Check = (value) => {
  if (typeof value !== "number" && typeof value !== "string") return fine;
  const name = /^[\w-]{1,15}$/.test(String(value)) ? value : "NAME";
  const written = /^\d+$/.test(String(value)) ? `{ number: ${value} }` : `{ name: ${name} }`;
  return wrong([], `the port is given where a mapping is required; write port: ${written}`);
};

const path: Check = (value) => {
  const { path: given = "", pathType } = value as { readonly path?: string; readonly pathType: string };
  const why = pathMistake(given, pathType === "ImplementationSpecific");
  return why === undefined ? fine : wrong((value as Mapping).path === undefined ? [] : ["path"], why);
};

function pathMistake(given: string, free: boolean): string | undefined {
  if (free && given === "") return undefined;
  if (!given.startsWith("/")) return `${shown(given)} does not begin with /`;
  const part = free ? undefined : ambiguousPart(given);
  return part === undefined ? undefined : `${shown(given)} has ${part} in it`;
}

const routesSomething: Check = (value) => {
  const { rules, defaultBackend } = value as { readonly rules?: readonly unknown[]; readonly defaultBackend?: unknown };
  const has = (rules ?? []).length > 0 || !isAbsent(defaultBackend);
  return has ? fine : lacking("rules", "it needs rules or defaultBackend");
};

/**
 * Refuses a misspelled host. The API server drops the field, and the rule would be that of all
 * hosts at once.
 */
const ruleHost: Check = (value) => {
  if (!isMapping(value) || !isAbsent(value.host) || isAbsent(value.hosts)) return fine;
  const [first = "NAME"] = Array.isArray(value.hosts) ? value.hosts : [value.hosts];
  return wrong(["hosts"], `a rule has one host, and without it the rule is for all hosts; write host: ${first}`);
};

const givenHost: Rule = (value) =>
  value === "" ? "it is empty, and the rule would be for all hosts; remove the field if that is meant" : host(value);

/** Permits an empty text as well. */
const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === "" ? undefined : rule(value);

const controllerName: Rule = (value) =>
  /^[a-z0-9.-]+\/[\w./-]+$/i.test(value) && value.length <= 250
    ? undefined
    : `${shown(value)} is not a controller's name such as k8s.io/ingress-nginx`;

const pathTypes = ["Exact", "Prefix", "ImplementationSpecific"];

export const hints = { pathType: `write one of ${pathTypes.join(", ")}` };

export const before: Rules = {
  "Ingress.spec.ingressClassName": text(dnsSubdomain),
  "Ingress.spec.backend": () => wrong([], "it ended with Kubernetes 1.22; write defaultBackend"),
  "Ingress.spec.defaultBackend": ended,
  "paths[].backend": ended,
  "service.port": servicePort,
  "service.port.name": text(portName),
  "service.port.number": portNumber,
  "service.name": text(dnsLabel),
  "resource.apiGroup": text(dnsSubdomain),
  "paths[].pathType": word(...pathTypes),
  "Ingress.spec.rules[]": ruleHost,
  "Ingress.spec.rules[].host": text(givenHost),
  "Ingress.spec.tls[].hosts[]": text(tlsHost),
  "Ingress.spec.tls[].secretName": text(optional(dnsSubdomain)),
  "IngressClass.spec.controller": text(controllerName),
};

export const after: Rules = {
  Ingress: need("spec"),
  "Ingress.spec": routesSomething,
  "Ingress.spec.defaultBackend": oneOf("service", "resource"),
  "paths[].backend": oneOf("service", "resource"),
  "backend.service": need("port"),
  "defaultBackend.service": need("port"),
  "service.port": oneOf("name", "number"),
  "http.paths": filled,
  "http.paths[]": path,
  IngressClass: need("spec"),
  "IngressClass.spec": need("controller"),
};
