/**
 * Lists all objects of a kind at one resourceVersion. A server that streams lists gives them in one
 * answer, which costs it least. Others give them page by page, and each page is processed before
 * the next one is requested. A continue token lives for some minutes only; when it has expired, the
 * whole list is requested once more in a single page.
 */

import { type Answer, isVersionLost, ownReasons, succeeded } from "./answer.ts";
import type { ListWatcher } from "./client.ts";
import type { KubernetesObject } from "./object.ts";
import type { Selection } from "./requests.ts";
import type { Resource } from "./resource.ts";

export interface Everything<T> {
  readonly objects: readonly T[];
  readonly resourceVersion: string;
}

/** The kind that is listed, the client that lists it, and the use of each object. */
export interface Listing<T extends KubernetesObject> {
  readonly client: ListWatcher;
  readonly of: Resource<T>;
  readonly selection: Selection;
  /** Called once for each object; its results are kept. */
  readonly take: (object: T) => T;
}

/**
 * Lists all objects in one answer of a server that streams lists. Returns undefined if the kind or
 * the server does not have that, or if the answer cannot be read.
 */
export async function listAsStream<T extends KubernetesObject>(
  { client, of, selection, take }: Listing<T>,
  signal: AbortSignal,
): Promise<Answer<Everything<T>> | undefined> {
  const { binary } = of;
  if (binary === undefined || !(await client.streamsLists(signal))) return undefined;
  const objects: T[] = [];
  const answer = await client.listWhole({ ...of, binary }, selection, (object) => objects.push(take(object)), signal);
  if (answer.ok) return succeeded({ objects, resourceVersion: answer.value });
  return answer.failure.reason === ownReasons.unreadable ? undefined : answer;
}

/**
 * Lists all objects page by page. The request has no resourceVersion, so the answer is never older
 * than the request.
 */
export async function listEverything<T extends KubernetesObject>(
  listing: Listing<T>,
  pageSize: number,
  signal: AbortSignal,
): Promise<Answer<Everything<T>>> {
  const { client, of, selection, take } = listing;
  const objects: T[] = [];
  for (let token = ""; ; ) {
    const page = { ...selection, limit: pageSize, ...(token ? { continue: token } : {}) };
    const answer = await client.list(of, page, signal);
    if (!answer.ok && token !== "" && isVersionLost(answer.failure)) {
      return await listInOnePage(listing, signal);
    }
    if (!answer.ok) return answer;
    for (const item of answer.value.items) objects.push(take(item));
    token = answer.value.continue;
    if (token === "") return succeeded({ objects, resourceVersion: answer.value.resourceVersion });
  }
}

async function listInOnePage<T extends KubernetesObject>(
  { client, of, selection, take }: Listing<T>,
  signal: AbortSignal,
): Promise<Answer<Everything<T>>> {
  const answer = await client.list(of, selection, signal);
  if (!answer.ok) return answer;
  return succeeded({ objects: answer.value.items.map(take), resourceVersion: answer.value.resourceVersion });
}
