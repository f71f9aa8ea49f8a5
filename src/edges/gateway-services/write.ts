/**
 * Writes one object from its known form and, after a conflict, from a form that is read again. Each
 * write names the version that it is based on. An object that Sluice did not create is never
 * written.
 */

import type { KubernetesObject } from "../../core/model/objects.ts";
import { type Answer, type ApiFailure, type Client, nameOf, type Resource } from "../../kube/index.ts";

export interface Writing<T extends KubernetesObject> {
  readonly client: Pick<Client, "get" | "create" | "patch">;
  readonly of: Resource<T>;
  /** `namespace/name`. */
  readonly key: string;
  /** The newest known form; undefined if, as far as is known, the object does not exist. */
  readonly known: T | undefined;
  /** Returns the object to create if it does not exist; undefined if none is created. */
  readonly made: () => T | undefined;
  readonly isOurs: (present: T) => boolean;
  /**
   * Returns the body of a merge patch with the version of `present`; undefined if there is
   * nothing to change.
   */
  readonly changes: (present: T) => object | undefined;
  /** Called right before each write; false ends the attempt. */
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

export type Written<T> =
  | { readonly kind: "same" | "created" | "changed"; readonly object: T }
  /**
   * The object does not exist and is not to be created, is being deleted, or may not be written any
   * more.
   */
  | { readonly kind: "none" }
  | { readonly kind: "foreign" }
  | { readonly kind: "failed"; readonly failure: ApiFailure };

const tries = 5;

export async function write<T extends KubernetesObject>(writing: Writing<T>): Promise<Written<T>> {
  const { client, of, key, known, signal } = writing;
  let present: T | undefined = known;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once(writing, present);
    if (!("ok" in answer)) return answer;
    if (answer.ok) return { kind: present === undefined ? "created" : "changed", object: answer.value };
    const { failure } = answer;
    const isOutdated = failure.code === 409 || (failure.code === 404 && present !== undefined);
    if (!isOutdated || attempt === tries) return { kind: "failed", failure };
    const read: Answer<T> = await client.get(of, nameOf(key), signal);
    if (!read.ok && read.failure.code !== 404) return { kind: "failed", failure: read.failure };
    present = read.ok ? read.value : undefined;
  }
}

async function once<T extends KubernetesObject>(
  writing: Writing<T>,
  present: T | undefined,
): Promise<Answer<T> | Written<T>> {
  const { client, of, key, made, isOurs, changes, mayWrite, signal } = writing;
  if (present === undefined) {
    const object = made();
    if (object === undefined || !mayWrite()) return { kind: "none" };
    return client.create(of, object, signal);
  }
  if (!isOurs(present)) return { kind: "foreign" };
  if (present.metadata.deletionTimestamp !== undefined) return { kind: "none" };
  const body = changes(present);
  if (body === undefined) return { kind: "same", object: present };
  if (!mayWrite()) return { kind: "none" };
  return client.patch(of, nameOf(key), { type: "merge", body }, signal);
}
