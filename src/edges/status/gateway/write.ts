/**
 * Writes the status of one object if it differs from the wanted one. It starts from the newest
 * known form, and after a conflict from a form that is read again. The write names the version on
 * which it is based, so it never overwrites a change that another program made meanwhile.
 */

import type { DesiredStatus } from "../../../core/model/gateway/status.ts";
import { type KubernetesObject, keyOf } from "../../../core/model/objects.ts";
import { type Answer, type ApiFailure, type Client, nameOf, type Resource, succeeded } from "../../../kube/index.ts";
import { mergedStatus, type Writer } from "./merged.ts";

export interface Writing extends Writer {
  readonly client: Pick<Client, "get" | "patch">;
  readonly of: Resource<KubernetesObject>;
  /** Called right before each write; false ends the attempt. */
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

/** `sent` and `stored` differ if the definitions lack a field. */
export type Written =
  | { readonly kind: "same" }
  | { readonly kind: "written"; readonly sent: unknown; readonly stored: KubernetesObject }
  | { readonly kind: "failed"; readonly failure: ApiFailure };

const tries = 5;

export async function writeStatus(known: KubernetesObject, wanted: DesiredStatus, writing: Writing): Promise<Written> {
  const { client, of, mayWrite, signal } = writing;
  const name = nameOf(keyOf(known));
  for (let attempt = 1; ; attempt += 1) {
    const read: Answer<KubernetesObject> = attempt === 1 ? succeeded(known) : await client.get(of, name, signal);
    if (!read.ok) return ended(read.failure);
    const status = mergedStatus(read.value, wanted, writing);
    if (status === undefined || !mayWrite()) return { kind: "same" };
    const { resourceVersion } = read.value.metadata;
    const body = { metadata: { resourceVersion }, status };
    const answer = await client.patch(of, name, { type: "merge", body, subresource: "status" }, signal);
    if (answer.ok) return { kind: "written", sent: status, stored: answer.value };
    if (answer.failure.code !== 409 || attempt === tries) return ended(answer.failure);
  }
}

/** Returns the outcome of a failure. An object that is gone needs no status. */
function ended(failure: ApiFailure): Written {
  return failure.code === 404 ? { kind: "same" } : { kind: "failed", failure };
}
