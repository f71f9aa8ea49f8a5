/** The API server's rules for a BackendTLSPolicy (Gateway API v1.6.3). */
import { shown } from "../../../core/kinds/kind.ts";
import { anything, type Check, lacking, mapOf, type Rule, record, text, word, wrong } from "../check.ts";
import { metadata } from "../metadata.ts";
import { dnsSubdomain } from "../names.ts";
import { alike, atMost, both, distinct, few, hostname, named, sectionName } from "./names.ts";

const precise: Rule = (value) =>
  value.startsWith("*") ? `${shown(value)} is a wildcard, and one name must stand here` : hostname(value);

const uri: Rule = (value) =>
  /^[a-z][a-z0-9+.-]*:[!-~]+$/i.test(value) && value.length <= 253
    ? undefined
    : `${shown(value)} is not a URI such as spiffe://cluster/shop`;

const setName: Rule = (value) =>
  value === "" || value === "System" || value.includes("/") ? undefined : `${shown(value)} is not System`;

const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Only the field of the given type may be present. */
const nameOfType: Check = (value) => {
  const { type, hostname: host, uri: id } = value as Record<string, unknown>;
  const [wanted, other] = type === "Hostname" ? (["hostname", id] as const) : (["uri", host] as const);
  if (!isFilled((value as Record<string, unknown>)[wanted])) return lacking(wanted);
  return isFilled(other) ? wrong([], `only ${wanted} may stand beside type ${type}`) : [];
};

const authorities: Check = (value) => {
  const { caCertificateRefs = [], wellKnownCACertificates } = value as Record<string, unknown>;
  const has = (caCertificateRefs as readonly unknown[] | null)?.length ?? 0;
  if (has > 0 && isFilled(wellKnownCACertificates)) {
    return wrong([], "only one of caCertificateRefs and wellKnownCACertificates may stand there");
  }
  return has > 0 || isFilled(wellKnownCACertificates)
    ? []
    : wrong([], "caCertificateRefs is missing, or wellKnownCACertificates");
};

export const backendTLSPolicy = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    status: anything,
    spec: record(
      {
        targetRefs: both(
          few(record({ ...named, sectionName }, ["group", "kind", "name"]), 16, 1),
          alike(({ group, kind, name }) => `${group} ${kind} ${name}`, ["sectionName"], "target"),
          distinct(
            ({ group, kind, name, sectionName: section }) => `${group} ${kind} ${name} ${section ?? ""}`,
            () => "this target is given twice",
          ),
        ),
        validation: record(
          {
            caCertificateRefs: few(record(named, ["group", "kind", "name"]), 8),
            wellKnownCACertificates: text(setName, atMost(253)),
            hostname: text(precise),
            subjectAltNames: few(
              record({ type: word("Hostname", "URI"), hostname: text(hostname), uri: text(uri) }, ["type"], nameOfType),
              5,
            ),
          },
          ["hostname"],
          authorities,
        ),
        options: mapOf(() => undefined, text()),
      },
      ["targetRefs", "validation"],
    ),
  },
  ["metadata", "spec"],
);
