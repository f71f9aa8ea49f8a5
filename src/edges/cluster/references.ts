/**
 * Lists the Secrets and ConfigMaps that an object may refer to. Only their data is kept in memory.
 * A superfluous name costs a few bytes, but without a needed name the Secret would not be in
 * memory. So every annotation and every key of the settings counts if its text could be a name. A
 * new annotation needs no line here.
 */
import type { BackendTLSPolicy } from "../../core/model/gateway/backend-tls-policy.ts";
import type { ListenerSet } from "../../core/model/gateway/listener-set.ts";
import type { Gateway, GatewayClass, ParametersReference } from "../../core/model/gateway/objects.ts";
import { type RouteSettings, textOfValue } from "../../core/model/gateway/route-settings.ts";
import type { ConfigMap, Ingress } from "../../core/model/objects.ts";

/** `Secret namespace/name` and `ConfigMap namespace/name`. */
export type Reference = string;

export function referencesOfIngress({ metadata, spec }: Ingress, prefix: string): readonly Reference[] {
  const { namespace = "default", annotations = {} } = metadata;
  const tls = (spec?.tls ?? []).flatMap(({ secretName }) => (secretName ? [`Secret ${namespace}/${secretName}`] : []));
  const texts = Object.entries(annotations).flatMap(([key, text]) => (key.startsWith(`${prefix}/`) ? [text] : []));
  return [...new Set([...tls, ...texts.flatMap((text) => namedBy(text, namespace))])];
}

/** Returns the certificates of its listeners. `translate/` decides whether it may use them. */
export function referencesOfListeners({ metadata, spec }: ListenerSet): readonly Reference[] {
  const named = (spec?.listeners ?? []).flatMap(({ tls }) => tls?.certificateRefs ?? []);
  const secrets = named.filter(({ group = "", kind = "Secret" }) => group === "" && kind === "Secret");
  return [...new Set(secrets.map(({ namespace, name }) => `Secret ${namespace ?? metadata.namespace}/${name}`))];
}

/**
 * Returns its certificates, the authorities for its clients, and its parameters. `translate/`
 * decides whether it may use them.
 */
export function referencesOfGateway({ metadata, spec }: Gateway): readonly Reference[] {
  const { frontend, backend } = spec?.tls ?? {};
  const certificates = (spec?.listeners ?? []).flatMap(({ tls }) => tls?.certificateRefs ?? []);
  const secrets = [
    ...certificates,
    ...(backend?.clientCertificateRef === undefined ? [] : [backend.clientCertificateRef]),
  ];
  const validations = [frontend?.default, ...(frontend?.perPort ?? []).map(({ tls }) => tls)];
  const authorities = validations.flatMap((one) => one?.validation?.caCertificateRefs ?? []);
  const named = [
    ...secrets.map((one) => ({ group: "", kind: "Secret", ...one })),
    ...authorities.map((one) => ({ group: "", ...one })),
  ];
  const references = named.flatMap(({ group, kind, namespace, name }) =>
    group === "" && (kind === "Secret" || kind === "ConfigMap")
      ? `${kind} ${namespace ?? metadata.namespace}/${name}`
      : [],
  );
  const { parametersRef } = spec?.infrastructure ?? {};
  const parameters = parametersRef && parametersOf({ ...parametersRef, namespace: metadata.namespace });
  return [...new Set([...references, ...(parameters ?? [])])];
}

export function referencesOfGatewayClass({ spec }: GatewayClass): readonly Reference[] {
  return spec?.parametersRef === undefined ? [] : parametersOf(spec.parametersRef);
}

type Parameters = ParametersReference & { readonly namespace?: string | undefined };

function parametersOf({ group, kind, namespace, name }: Parameters): readonly Reference[] {
  return group === "" && kind === "ConfigMap" && namespace !== undefined ? [`ConfigMap ${namespace}/${name}`] : [];
}

/** Returns the ConfigMaps and Secrets of the authorities that the policy names. */
export function referencesOfPolicy({ metadata, spec }: BackendTLSPolicy): readonly Reference[] {
  const named = spec?.validation?.caCertificateRefs ?? [];
  return [...new Set(named.map(({ kind, name }) => `${kind} ${metadata.namespace}/${name}`))];
}

/**
 * Returns the Secrets and ConfigMaps that RouteSettings name. `translate/` decides whether the
 * object may use them.
 */
export function referencesOfRouteSettings({ metadata, spec = {} }: RouteSettings): readonly Reference[] {
  const texts = Object.values(spec).flatMap((value) => textOfValue(value) ?? []);
  return [...new Set(texts.flatMap((text) => namedBy(text, metadata.namespace ?? "default")))];
}

/**
 * Returns the references of the ConfigMap with the settings: header ConfigMaps, the DH parameters
 * ...
 */
export function referencesOfSettings({ metadata, data = {} }: ConfigMap): readonly Reference[] {
  return [...new Set(Object.values(data).flatMap((text) => namedBy(text, metadata.namespace ?? "default")))];
}

const longestName = 63 + 1 + 253;
const name = /^(?:([a-z\d-]+)\/)?([a-z\d](?:[a-z\d.-]*[a-z\d])?)$/;

/**
 * Returns what the text may refer to. Some annotations ignore characters that no name can have
 * (RS-32.35).
 */
function namedBy(text: string, namespace: string): readonly Reference[] {
  if (text.length > longestName) return [];
  const [, ownNamespace = namespace, found] = name.exec(text.replace(/[^a-z\d./-]/g, "")) ?? [];
  if (found === undefined) return [];
  return [`Secret ${ownNamespace}/${found}`, `ConfigMap ${ownNamespace}/${found}`];
}
