/**
 * Writes the status of one object where it differs from what is wanted: from the newest form that
 * is known, and after a conflict from one that is read anew. The write names the version that it
 * was made from, so it never takes away what somebody else has written in between.
 */
import { type Answer, type ApiFailure, type Client, nameOf, type Resource, succeeded } from "../../kubernetes/index.ts";
import type { DesiredStatus } from "../../model/gateway/status.ts";
import { type KubernetesObject, keyOf } from "../../model/objects.ts";
import { mergedStatus, type Writer } from "./merged.ts";

export interface Writing extends Writer {
  readonly client: Pick<Client, "get" | "patch">;
  readonly of: Resource<KubernetesObject>;
  /** Asked right before each write; false ends it. */
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

/** `sent` and `stored` differ where the definitions lack a field. */
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

/** An object that has gone needs no status. */
function ended(failure: ApiFailure): Written {
  return failure.code === 404 ? { kind: "same" } : { kind: "failed", failure };
}
