/**
 * Reads one BackendTLSPolicy: the ports of Services that it targets, and the TLS settings towards
 * these. An unusable policy still governs its targets: their requests are answered with 500, and
 * are never sent without verification.
 */
import { hash } from "node:crypto";
import { guarded } from "../../../../base/guarded.ts";
import { authoritiesIn } from "../../../certificates/authorities.ts";
import { shown } from "../../../kinds/kind.ts";
import type { Authorities, BackendTls } from "../../../model/backend-tls.ts";
import type { BackendTLSPolicy, PolicyTarget, SubjectAltName } from "../../../model/gateway/backend-tls-policy.ts";
import { missing, wrongKind } from "../../../model/missing.ts";
import type { ConfigMap, Secret } from "../../../model/objects.ts";
import { bugProblem, type Mistake, type ObjectName } from "../../../model/problem.ts";
import { closingProblem, unknownIn } from "../../../table/unknown-fields.ts";
import type { Fault } from "../conditions.ts";

export interface PolicyTargetRead {
  /** `namespace/name` of the Service. */
  readonly service: string;
  /** The name of the port; undefined for all ports. */
  readonly section: string | undefined;
  /** `spec.targetRefs[0]`. */
  readonly field: string;
}

export type PolicyReading = GoodPolicy | BrokenPolicy;

export interface GoodPolicy extends PolicyFacts {
  readonly tls: BackendTls;
  readonly invalid?: undefined;
}

/** A policy that cannot be followed, and the reason. */
export interface BrokenPolicy extends PolicyFacts {
  readonly tls?: undefined;
  readonly invalid: Fault;
}

interface PolicyFacts {
  /** `namespace/name`. */
  readonly key: string;
  readonly object: ObjectName;
  readonly policy: BackendTLSPolicy;
  readonly targets: readonly PolicyTargetRead[];
  /** References to authorities that cannot be resolved. */
  readonly unresolved: readonly Fault[];
  /** `ConfigMap namespace/name` and the like, of objects that were looked up. */
  readonly references: readonly string[];
}

/** Inputs for reading policies. */
export interface PolicyWorld {
  authorities(kind: "ConfigMap" | "Secret", key: string): ConfigMap | Secret | undefined;
  /**
   * The path of the file with the authorities that the machine trusts; undefined if there is
   * none.
   */
  readonly systemAuthorities: string | undefined;
  /** Whether this nginx can compare the names in a certificate. */
  readonly checksNames: boolean;
}

export const done = "requests to its targets get 500";

export function readPolicy(policy: BackendTLSPolicy, world: PolicyWorld): PolicyReading {
  const { name, namespace = "default" } = policy.metadata;
  const object = { kind: "BackendTLSPolicy", namespace, name };
  const references: string[] = [];
  const unresolved: Fault[] = [];
  const fault = (reason: string, field: string, why: string): Fault => {
    return { reason, problem: { object, kind: "value-unusable", field, why, done } };
  };
  const targets = targetsOf(policy, namespace);
  const facts = { key: `${namespace}/${name}`, object, policy, targets, unresolved, references };

  const strange = targetsIn(policy).findIndex((target) => !isTarget(target));
  if (strange >= 0)
    return broken(fault("Invalid", `spec.targetRefs[${strange}]`, "is not a target with a group, kind and name"));
  const [unknown] = unknownIn(policy);
  if (unknown !== undefined) {
    return broken({ reason: "Invalid", problem: closingProblem(object, unknown, done) });
  }
  const options = Object.keys(policy.spec?.options ?? {});
  if (options.length > 0) {
    const are = options.length === 1 ? "is not an option" : "are not options";
    return broken(fault("Invalid", "spec.options", `${options.join(", ")} ${are} that Sluice knows`));
  }
  const { hostname = "", subjectAltNames = [], ...trust } = policy.spec?.validation ?? {};
  const authorities = authoritiesFor(trust);
  if ("reason" in authorities) return broken(authorities);
  const where = "spec.validation.hostname";
  if (hostname === "") return broken(fault("Invalid", where, "is missing"));
  if (!isPreciseHostname(hostname)) return broken(fault("Invalid", where, `${shown(hostname)} is not a host name`));
  const names: string[] = [];
  for (const [at, one] of subjectAltNames.entries()) {
    const part = `spec.validation.subjectAltNames[${at}]`;
    const found = nameOf(one);
    if ("why" in found) return broken(fault("Invalid", `${part}${found.part}`, found.why));
    names.push(found.name);
  }
  if (names.length > 0 && !world.checksNames) {
    const why = "nginx here has no module that checks the names of a backend's certificate";
    return broken(fault("Invalid", "spec.validation.subjectAltNames", why));
  }
  return { ...facts, tls: withId({ authorities, hostname: hostname.toLowerCase(), names }) };

  function broken(invalid: Fault): BrokenPolicy {
    return { ...facts, invalid };
  }

  function authoritiesFor({ caCertificateRefs = [], wellKnownCACertificates = "" }: typeof trust): Authorities | Fault {
    if (caCertificateRefs.length > 0 && wellKnownCACertificates !== "") {
      return fault("Invalid", "spec.validation", "names both caCertificateRefs and wellKnownCACertificates");
    }
    if (caCertificateRefs.length === 0) {
      const field = "spec.validation.wellKnownCACertificates";
      if (wellKnownCACertificates === "") return fault("Invalid", "spec.validation", "names no authorities");
      if (wellKnownCACertificates !== "System") {
        return fault("Invalid", field, `${shown(wellKnownCACertificates)} is not System`);
      }
      const path = world.systemAuthorities;
      return path === undefined
        ? fault("Invalid", field, "this machine has no file with certificates of authorities")
        : { kind: "file", path };
    }
    const texts = caCertificateRefs.flatMap(({ group = "", kind = "", name: named }, at): string[] => {
      const field = `spec.validation.caCertificateRefs[${at}]`;
      const not = (reason: string, mistake: Mistake): string[] => {
        unresolved.push({ reason, problem: { object, field, ...mistake, done: "no certificate is trusted by it" } });
        return [];
      };
      if (group !== "" || (kind !== "ConfigMap" && kind !== "Secret"))
        return not("InvalidKind", wrongKind({ group, kind }, "ConfigMap or Secret"));
      const key = `${namespace}/${named}`;
      references.push(`${kind} ${key}`);
      const holder = world.authorities(kind, key);
      if (holder === undefined) return not("InvalidCACertificateRef", missing(kind, key));
      const found = authoritiesIn(holder);
      if (found.ok) return [found.text];
      return not("InvalidCACertificateRef", { kind: "reference-unusable", why: `${kind} ${key} ${found.why}` });
    });
    if (texts.length > 0) return { kind: "pem", text: [...new Set(texts)].join("") };
    const why =
      unresolved.length === 1 ? "gives no certificate of an authority" : "give no certificate of an authority";
    const { reason, problem } = fault("NoValidCACertificate", "spec.validation.caCertificateRefs", why);
    return { reason, problem: { ...problem, follows: unresolved.map((one) => one.problem) } };
  }
}

/** Returns the reading of a policy on which Sluice failed. It still governs its targets. */
export function failedPolicy(policy: BackendTLSPolicy, bug: Error): BrokenPolicy {
  const { name, namespace = "default" } = policy.metadata;
  const object = { kind: "BackendTLSPolicy", namespace, name };
  const targets = guarded(
    () => targetsOf(policy, namespace),
    () => [],
  );
  const invalid = { reason: "Invalid", problem: bugProblem(object, bug) };
  const nothing = { unresolved: [], references: [] };
  return { key: `${namespace}/${name}`, object, policy, targets, invalid, ...nothing };
}

/**
 * The authorities that a machine trusts. nginx 1.22 takes a megabyte and 24 ms for them, so 4 MB
 * are ten times them.
 */
const bytesOfSystem = 384 * 1024;

/** What nginx needs for settings beside authorities: 84 kB of memory, and a third of a ms. */
const bytesOfSettings = 32 * 1024;

/** Returns about the bytes that nginx loads. */
export const bytesLoaded = ({ authorities }: BackendTls): number =>
  bytesOfSettings + (authorities.kind === "file" ? bytesOfSystem : authorities.text.length);

/** Returns the settings with their id. */
export function withId(settings: Omit<BackendTls, "id">): BackendTls {
  const { authorities, hostname, names, identity } = settings;
  const key = identity === undefined ? [] : [identity.chain, hash("sha256", identity.key.reveal())];
  return { ...settings, id: hash("sha256", JSON.stringify([authorities, hostname, names, key])) };
}

/**
 * Returns the targets that are Services, because no other target is a backend of a route. If the
 * port of a target cannot be read, all ports are meant, so that none is without the policy.
 */
function targetsOf(policy: BackendTLSPolicy, namespace: string): readonly PolicyTargetRead[] {
  return targetsIn(policy).flatMap((target, at): readonly PolicyTargetRead[] => {
    const { group, kind, name, sectionName } = partsOf(target);
    if (group !== "" || kind !== "Service" || typeof name !== "string") return [];
    const section = typeof sectionName === "string" && sectionName !== "" ? sectionName : undefined;
    return [{ service: `${namespace}/${name}`, section, field: `spec.targetRefs[${at}]` }];
  });
}

function targetsIn({ spec }: BackendTLSPolicy): readonly unknown[] {
  const targets: unknown = spec?.targetRefs ?? [];
  return Array.isArray(targets) ? targets : [targets];
}

type TargetParts = Readonly<Partial<Record<keyof PolicyTarget, unknown>>>;

function partsOf(target: unknown): TargetParts {
  return typeof target === "object" && target !== null ? target : {};
}

/** Whether the types are right. The API server may have definitions that do not say so. */
function isTarget(target: unknown): boolean {
  const { group, kind, name, sectionName = "" } = partsOf(target);
  return [group, kind, name, sectionName].every((part) => typeof part === "string");
}

const label = "[a-z\\d](?:[a-z\\d-]*[a-z\\d])?";
const precise = new RegExp(`^${label}(?:\\.${label})*$`, "i");
const uri = /^[a-z][a-z\d+.-]*:[!-~]+$/i;

/** Whether a text is a host name without a wildcard (`PreciseHostname` of the Gateway API). */
export function isPreciseHostname(text: string): boolean {
  return text.length <= 253 && precise.test(text);
}

/** Returns a name in the form that the module in `nginx/modules/` needs. */
function nameOf({
  type,
  hostname = "",
  uri: text = "",
}: SubjectAltName): { name: string } | { part: string; why: string } {
  switch (type) {
    case "Hostname": {
      const isName = isPreciseHostname(hostname.replace(/^\*\./, ""));
      return isName
        ? { name: `dns:${hostname.toLowerCase()}` }
        : { part: ".hostname", why: `${shown(hostname)} is not a host name` };
    }
    case "URI":
      return uri.test(text) && text.length <= 253
        ? { name: `uri:${text}` }
        : { part: ".uri", why: `${shown(text)} is not an absolute URI` };
    default:
      return { part: ".type", why: `${shown(type)} is not Hostname or URI` };
  }
}
