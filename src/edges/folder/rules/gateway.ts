/**
 * The rules of the Gateway API that its definitions state in CEL, for all kinds but routes. The
 * definitions have the rest.
 */
import { isIP } from "node:net";
import { shown } from "../../../core/kinds/kind.ts";
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { type Check, fine, isAbsent, lacking, type Rule, text, under, wrong } from "../../../core/schema/findings.ts";
import { distinctBy, type Rules } from "../../../core/schema/schema.ts";
import { dnsSubdomain, keys, qualifiedName, word } from "./names.ts";

export const isBlank = (value: unknown): boolean => isAbsent(value) || value === "" || value === 0;

/** A DNS name whose first label may be `*`. It may not be an address. */
export const hostname: Rule = (value) => {
  const bare = value.startsWith("*.") ? value.slice(2) : value;
  if (bare.includes("*")) return `${shown(value)} has a * that is not its whole first label`;
  const lower = value.toLowerCase();
  if (value !== lower && dnsSubdomain(bare.toLowerCase()) === undefined)
    return `${shown(value)} has capital letters; write ${shown(lower)}`;
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value)) return `${shown(value)} is an address, and only a DNS name may stand here`;
  return undefined;
};

const precise: Rule = (value) =>
  value.startsWith("*") ? `${shown(value)} is a wildcard, and one name must stand here` : undefined;

/** The rules for one listener. */
const listener: Check = (value) => {
  const { protocol, tls, hostname: host, filters } = value as Mapping;
  const mode = isMapping(tls) ? (tls.mode ?? "Terminate") : undefined;
  const alien = `it must not stand beside protocol ${protocol}`;
  if (["HTTP", "TCP", "UDP"].includes(protocol as string) && !isAbsent(tls)) return wrong(["tls"], alien);
  if (protocol === "HTTPS" && mode !== undefined && mode !== "Terminate")
    return wrong(["tls", "mode"], "it must be Terminate beside protocol HTTPS");
  if (["TCP", "UDP"].includes(protocol as string) && !isBlank(host)) return wrong(["hostname"], alien);
  if (!isAbsent(filters) && protocol !== "HTTP" && protocol !== "HTTPS") return wrong(["filters"], alien);
  return protocol === "TLS" && isAbsent(tls) ? wrong([], "tls is missing, and protocol TLS needs its mode") : fine;
};

const certificates: Check = (value) => {
  const { mode = "Terminate", certificateRefs, options } = value as Mapping;
  const has = [certificateRefs, options].some((one) => Object.keys((one ?? {}) as object).length > 0);
  return mode === "Terminate" && !has ? wrong([], "it needs certificateRefs or options where mode is Terminate") : fine;
};

const address: Check = (item) => {
  const { type = "IPAddress", value } = item as { readonly type?: string; readonly value?: string };
  if (isBlank(value)) return fine;
  if (type === "IPAddress") return isIP(value!) > 0 ? fine : wrong(["value"], `${shown(value!)} is not an IP address`);
  const isName = type !== "Hostname" || dnsSubdomain(value!.replace(/^\*\./, "")) === undefined;
  return isName ? fine : wrong(["value"], `${shown(value!)} is not a DNS name`);
};

const targetOf = ({ group, kind, name }: Mapping): string => `${group} ${kind} ${name}`;

/**
 * Checks items that refer to the same object by `keyOf`. Either all of them name a part of the
 * object, by the same fields, or none of them does.
 */
export function alike(keyOf: (item: Mapping) => string, fields: readonly string[], what: string): Check {
  return (value) => {
    const first = new Map<string, Mapping>();
    return (value as readonly Mapping[]).flatMap((item, at) => {
      const one = first.get(keyOf(item)) ?? item;
      first.set(keyOf(item), one);
      const field = fields.find((name) => isBlank(one[name]) !== isBlank(item[name]));
      return field === undefined
        ? fine
        : wrong([at], `another one names the same ${what}, and only one of them has ${field}`);
    });
  };
}

/** Only the field of the given type may be present. */
const nameOfType: Check = (value) => {
  const { type, hostname: host, uri } = value as Mapping;
  const [wanted, own, other] = type === "Hostname" ? ["hostname", host, uri] : ["uri", uri, host];
  if (isBlank(own)) return lacking(wanted as string);
  return isBlank(other) ? fine : wrong([], `only ${wanted} may stand beside type ${type}`);
};

const authorities: Check = (value) => {
  const { caCertificateRefs, wellKnownCACertificates } = value as Mapping;
  const has = ((caCertificateRefs ?? []) as readonly unknown[]).length > 0;
  if (has && !isBlank(wellKnownCACertificates))
    return wrong([], "only one of caCertificateRefs and wellKnownCACertificates may stand there");
  const isSome = has || !isBlank(wellKnownCACertificates);
  return isSome ? fine : wrong([], "caCertificateRefs is missing, or wellKnownCACertificates");
};

const settings: Check = (value) =>
  Object.entries(value as Mapping).flatMap(([key, one]) =>
    key !== "targetRefs" && typeof one === "object"
      ? under(key, wrong([], "it is not text, a number, true or false"))
      : fine,
  );

export const before: Rules = {
  "listeners[].hostname": text(hostname),
  "validation.hostname": text(hostname),
  "subjectAltNames[].hostname": text(hostname),
  "hostnames[]": text(hostname),
  "BackendTLSPolicy.spec.validation.hostname": text(precise),
  "matchExpressions[].operator": word("In", "NotIn", "Exists", "DoesNotExist"),
};

export const after: Rules = {
  "listeners[]": listener,
  "spec.listeners": distinctBy<Mapping>(
    ({ port, protocol, hostname: host }) => `${port} ${protocol} ${host ?? ""}`,
    () => "another listener has this port, protocol and hostname",
  ),
  "listeners[].tls": certificates,
  perPort: distinctBy<Mapping>(
    ({ port }) => String(port),
    (port) => `the port ${port} is given twice`,
  ),
  "spec.addresses[]": address,
  "spec.addresses": distinctBy<Mapping>(
    ({ type = "IPAddress", value }) => (isBlank(value) ? undefined : `${type} ${value}`),
    (one) => `${one} is given twice`,
  ),
  "infrastructure.labels": keys(qualifiedName),
  "infrastructure.annotations": keys(qualifiedName),
  "BackendTLSPolicy.spec.targetRefs": alike(targetOf, ["sectionName"], "target"),
  targetRefs: distinctBy<Mapping>(
    (one) => `${targetOf(one)} ${one.sectionName ?? ""}`,
    () => "this target is given twice",
  ),
  "subjectAltNames[]": nameOfType,
  "BackendTLSPolicy.spec.validation": authorities,
  "RouteSettings.spec": settings,
};
