/** What all objects of Kubernetes have in common, and the keys by which they are stored. */

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339, in seconds, as JSON carries it. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** An object with which this one is deleted. At most one owner is its controller. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Returns `namespace/name`, or the bare name of an object without a namespace. */
export function keyOf({ metadata }: KubernetesObject): string {
  return keyOfName(metadata);
}

/** Returns the same for the name of an object. */
export function keyOfName({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Returns the parts of a key of `keyOf`. */
export function nameOf(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Returns the version for a comparison: versions are numbers that grow. */
export const versionOf = ({ metadata }: KubernetesObject): bigint => BigInt(metadata.resourceVersion ?? 0);
