/**
 * A kind of object as the API addresses it. Users of this runtime declare the resources that they
 * work with: `const pods = resource<Pod>({ apiVersion: "v1", kind: "Pod", plural: "pods",
 * namespaced: true })`.
 */
import type { KubernetesObject } from "./object.ts";
import type { Message } from "./protobuf/message.ts";

export interface Resource<T extends KubernetesObject> {
  /** `v1` for the core group, else `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The form in which single objects are read; plain JSON if absent. */
  readonly accept?: string;
  /** The form in protobuf, in which lists and watches are read then; plain JSON if absent. */
  readonly binary?: Message;
  /** Never set. It only has the type of the objects, for the compiler. */
  readonly object?: T;
}

/** Returns the Resource with its object type, which a literal cannot have. */
export const resource = <T extends KubernetesObject>(declared: Resource<T>): Resource<T> => declared;

/** The name of an object; `namespace` is absent for objects that have none. */
export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface Place {
  /** If it is absent, all namespaces are meant. */
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: string;
}

/** Returns the path of a collection, an object, or a subresource of an object. */
export function pathOf(of: Resource<KubernetesObject>, { namespace, name, subresource }: Place): string {
  const group = of.apiVersion.includes("/") ? `/apis/${of.apiVersion}` : `/api/${of.apiVersion}`;
  const within = of.namespaced && namespace !== undefined ? ["namespaces", namespace] : [];
  const parts = [...within, of.plural, name, subresource].filter((part) => part !== undefined);
  return [group, ...parts.map(encodeURIComponent)].join("/");
}
