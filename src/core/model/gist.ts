/**
 * The hosts, parents and ports of an object, also of one that has a mistake and cannot be read.
 * Every field may have any value, so whatever is not of the usual form is left out.
 */
import { isMapping, type Mapping } from "./mapping.ts";

export interface Gist {
  /** In lower case. None for an Ingress or a route that takes all hosts. */
  readonly hosts: readonly string[];
  /** The parents of a route or a ListenerSet, such as `Gateway shop/public`. */
  readonly parents: readonly string[];
  /** The ports of the listeners of a Gateway or a ListenerSet. */
  readonly ports: readonly number[];
  /** Whether it has neither rules nor a default backend. Such an Ingress takes no host at all. */
  readonly isEmpty: boolean;
}

/** An object that has a mistake and is not read. */
export interface Unread extends Gist {
  readonly kind: string;
  /** `namespace/name`. */
  readonly key: string;
}

export function gistOf(object: unknown): Gist {
  const { metadata, spec } = mapping(object);
  const { rules, hostnames, parentRefs, parentRef, listeners, tls, defaultBackend, backend } = mapping(spec);
  const isEmpty = list(rules).length === 0 && defaultBackend === undefined && backend === undefined;
  // An Ingress without rules may still say in its TLS section for which hosts it is meant.
  const meant = isEmpty ? list(tls).flatMap((one) => list(mapping(one).hosts)) : [];
  const parents = [...list(parentRefs), parentRef].flatMap((one) => parentOf(one, mapping(metadata).namespace));
  return {
    hosts: texts([...list(rules).map((rule) => mapping(rule).host), ...list(hostnames), ...meant]),
    parents,
    ports: list(listeners).flatMap((one) => {
      const { port } = mapping(one);
      return typeof port === "number" ? [port] : [];
    }),
    isEmpty,
  };
}

function parentOf(reference: unknown, own: unknown): string[] {
  const { kind = "Gateway", namespace = own ?? "default", name } = mapping(reference);
  return typeof name === "string" ? [`${kind} ${namespace}/${name}`] : [];
}

function texts(values: readonly unknown[]): readonly string[] {
  const all = values.filter((one) => typeof one === "string" && one !== "") as readonly string[];
  return [...new Set(all.map((one) => one.toLowerCase()))];
}

const mapping = (value: unknown): Mapping => (isMapping(value) ? value : {});

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
