/**
 * Resolves the references of a Gateway and its listeners: key pairs in Secrets, and authorities in
 * ConfigMaps.
 */
import { hash } from "node:crypto";
import { authoritiesIn } from "../../../certificates/authorities.ts";
import { certificateOf } from "../../../certificates/certificate.ts";
import type { Identity } from "../../../model/backend-tls.ts";
import type { Certificate } from "../../../model/configuration.ts";
import {
  type Gateway,
  type GatewayListener,
  gatewayGroup,
  type ObjectReference,
} from "../../../model/gateway/objects.ts";
import type { ClientValidation } from "../../../model/listeners.ts";
import { missing, noGrant, wrongKind } from "../../../model/missing.ts";
import type { ConfigMap, Secret } from "../../../model/objects.ts";
import type { Owner } from "../../../model/owner.ts";
import type { Mistake, Problem } from "../../../model/problem.ts";
import type { Capability } from "../../../tokens/capabilities.ts";
import type { Fault } from "../conditions.ts";
import type { Grants } from "../grants.ts";
import { type AskedClients, authoritiesNamed } from "./clients.ts";

/** Inputs for reading listeners. */
export interface ListenerWorld {
  readonly grants: Grants;
  /** Capabilities that this nginx lacks. */
  readonly lacks: ReadonlySet<Capability>;
  /** Returns the newest usable version of a TLS Secret. */
  secret(key: string): Secret | undefined;
  /** Returns the mistake in the present version, if `secret` returns an older one. */
  brokenSecret(key: string): string | undefined;
  configMap(key: string): ConfigMap | undefined;
  /** The Problem if nginx would load too many authorities for the clients of the listeners. */
  readonly tooMuchTrust: Problem | undefined;
}

/** Resolves the references of one Gateway, and records them. */
export class References {
  readonly secrets = new Set<string>();
  readonly configMaps = new Set<string>();
  readonly namespaces = new Set<string>();
  readonly problems: Problem[] = [];
  readonly #object: Owner;
  readonly #world: ListenerWorld;

  constructor(object: Owner, world: ListenerWorld) {
    this.#object = object;
    this.#world = world;
  }

  pairsOf(
    { tls }: GatewayListener,
    field: string,
  ): { readonly certificates: readonly string[]; readonly unresolved: readonly Fault[] } {
    const references = tls?.certificateRefs ?? [];
    const object = this.#object;
    if (references.length === 0) {
      const part = `${field}.tls.certificateRefs`;
      const problem: Problem = {
        object,
        kind: "reference-unusable",
        field: part,
        why: "names no Secret",
        done: "handshakes for the listener fail",
      };
      return { certificates: [], unresolved: [{ reason: "InvalidCertificateRef", problem }] };
    }
    const keys = new Set<string>();
    const unresolved: Fault[] = [];
    for (const [at, reference] of references.entries()) {
      const found = this.#pair(reference, `${field}.tls.certificateRefs[${at}]`, ofListeners);
      if ("fault" in found) unresolved.push(found.fault);
      else keys.add(found.key);
    }
    return { certificates: [...keys], unresolved };
  }

  /** Returns the key pair that is shown to backends. */
  identityOf(reference: ObjectReference): { readonly identity: Identity } | { readonly fault: Fault } {
    const field = "spec.tls.backend.clientCertificateRef";
    const found = this.#pair(reference, field, ofBackends);
    if ("fault" in found) return found;
    const { chain, key, weakness } = found.certificate;
    if (weakness === undefined) return { identity: { chain, key } };
    const why = `Secret ${found.key} cannot be shown: ${weakness.why}`;
    return { fault: this.#fault(ofBackends, field, unusable(why)) };
  }

  /** Returns the authorities for clients of a port; undefined if none of them is usable. */
  clientsOf({ field, references, lenient }: AskedClients): {
    readonly clients: ClientValidation | undefined;
    readonly unresolved: readonly Fault[];
  } {
    const unresolved: Fault[] = [];
    const texts = references.flatMap((reference, at): string[] => {
      const found = this.#authorities(reference, `${field}.validation.caCertificateRefs[${at}]`);
      if ("fault" in found) unresolved.push(found.fault);
      return "fault" in found ? [] : [found.text];
    });
    if (texts.length === 0) return { clients: undefined, unresolved };
    const authorities = [...new Set(texts)].join("");
    const id = hash("sha256", JSON.stringify([authorities, lenient]));
    return { clients: { id, authorities, lenient }, unresolved };
  }

  #authorities(reference: ObjectReference, field: string): { readonly text: string } | { readonly fault: Fault } {
    const { group = "", kind = "" } = reference;
    const about = { ...ofClients, invalid: "InvalidCACertificateRef" };
    if (group !== "" || kind !== "ConfigMap") {
      const mistake = wrongKind({ group, kind }, "ConfigMap");
      return { fault: this.#fault({ ...about, invalid: "InvalidCACertificateKind" }, field, mistake) };
    }
    const permitted = this.#permitted({ ...reference, group, kind }, field, about);
    if ("fault" in permitted) return permitted;
    const { key } = permitted;
    this.configMaps.add(key);
    const configMap = this.#world.configMap(key);
    if (configMap === undefined) return { fault: this.#fault(about, field, missing("ConfigMap", key)) };
    const read = authoritiesIn(configMap);
    return read.ok ? read : { fault: this.#fault(about, field, unusable(`ConfigMap ${key} ${read.why}`)) };
  }

  #pair(
    reference: ObjectReference,
    field: string,
    about: About,
  ): { readonly key: string; readonly certificate: Certificate } | { readonly fault: Fault } {
    const { group = "", kind = "Secret" } = reference;
    const fault = (mistake: Mistake) => ({ fault: this.#fault(about, field, mistake) });
    if (group !== "" || kind !== "Secret") return fault(wrongKind({ group, kind }, "Secret"));
    const permitted = this.#permitted({ ...reference, group, kind }, field, about);
    if ("fault" in permitted) return permitted;
    const { key } = permitted;
    this.secrets.add(key);
    const secret = this.#world.secret(key);
    if (secret === undefined) return fault(missing("Secret", key));
    const read = certificateOf(secret);
    if (!read.ok) return fault(unusable(`Secret ${key} ${read.why}`));
    const why = this.#world.brokenSecret(key);
    if (why !== undefined) this.problems.push({ object: this.#object, kind: "secret-kept", field, secret: key, why });
    return { key, certificate: read.certificate };
  }

  /** Returns the key of the object, if the Gateway may refer to it. */
  #permitted(
    { group, kind, name, namespace }: ObjectReference & { readonly group: string; readonly kind: string },
    field: string,
    about: About,
  ): { readonly key: string } | { readonly fault: Fault } {
    const object = this.#object;
    const to = { group, kind, namespace: namespace ?? object.namespace, name };
    const from = { group: gatewayGroup, kind: object.kind, namespace: object.namespace };
    const key = `${to.namespace}/${name}`;
    if (to.namespace !== object.namespace) this.namespaces.add(to.namespace);
    if (this.#world.grants.permits({ from, to })) return { key };
    const mistake: Mistake = { kind: "reference-forbidden", why: noGrant(object, to) };
    return { fault: this.#fault({ ...about, invalid: "RefNotPermitted" }, field, mistake) };
  }

  #fault({ invalid, done }: About, field: string, mistake: Mistake): Fault {
    return { reason: invalid, problem: { object: this.#object, field, ...mistake, done } };
  }
}

const unusable = (why: string): Mistake => ({ kind: "reference-unusable", why });

/** The purpose of a reference. */
interface About {
  /** The reason of the condition if a reference cannot be resolved. */
  readonly invalid: string;
  readonly done: string;
}

const ofListeners: About = { invalid: "InvalidCertificateRef", done: "it is not served" };
export const unshown = "backends are not shown a client certificate";
const ofBackends: About = { invalid: "InvalidClientCertificateRef", done: unshown };
const ofClients = { done: "no client is let in by it" };

/**
 * Returns about the bytes that nginx needs for the certificate that a Gateway shows to backends: it
 * has the settings of each BackendTLSPolicy once more, with their authorities.
 */
export const bytesOfIdentity = ({ spec }: Gateway): number =>
  spec?.tls?.backend?.clientCertificateRef === undefined ? 0 : 512 * 1024;

/**
 * Returns the certificate that a Gateway shows to backends, and the objects that were looked up.
 * `refusal` is the Problem if it may not show one.
 */
export function readIdentity(object: Owner, { spec }: Gateway, world: ListenerWorld, refusal: Problem | undefined) {
  const references = new References(object, world);
  const reference = spec?.tls?.backend?.clientCertificateRef;
  const refused = refusal && { fault: { reason: ofBackends.invalid, problem: refusal } };
  const found = reference && (refused ?? references.identityOf(reference));
  const { secrets, namespaces, problems } = references;
  const looked = { secrets: [...secrets], namespaces: [...namespaces], problems };
  if (found === undefined) return { identity: undefined, unresolved: [], ...looked };
  return "fault" in found
    ? { identity: undefined, unresolved: [found.fault], ...looked }
    : { identity: found.identity, unresolved: [], ...looked };
}

/** Returns the dependencies of a Gateway, for the index of references. */
export function referencesOf(
  gateway: Gateway,
  looked: readonly { readonly secrets: readonly string[]; readonly namespaces: readonly string[] }[],
): readonly string[] {
  const parameters = gateway.spec?.infrastructure?.parametersRef;
  const named = parameters && `${gateway.metadata.namespace ?? "default"}/${parameters.name}`;
  const configMaps = [...authoritiesNamed(gateway), ...(named === undefined ? [] : [named])];
  return [
    ...looked.flatMap(({ secrets }) => secrets.map((secret) => `Secret ${secret}`)),
    ...looked.flatMap(({ namespaces }) => namespaces.map((namespace) => `grants ${namespace}`)),
    ...configMaps.flatMap((configMap) => [`ConfigMap ${configMap}`, `grants ${configMap.split("/")[0]}`]),
  ];
}
