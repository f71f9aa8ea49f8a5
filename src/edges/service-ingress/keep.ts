/**
 * `--service-ingress`: gives every Service annotated `ingress/http: "true"` an Ingress of its name,
 * as long as this process leads. Services and Ingresses come from the Snapshot, so they are in
 * memory only once, and only watched ones count.
 */

import { bugWords } from "../../base/guarded.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { type Client, type QueueEvent, type Reconciled, runWorkers, type Term, WorkQueue } from "../../kube/index.ts";
import { asksForIngress, hostFor, isMarked } from "./desired.ts";
import { reconcile, type World } from "./reconcile.ts";
import { askingFor } from "./rivals.ts";

export interface ServiceIngressOptions extends Pick<World, "hostPattern" | "say"> {
  readonly client: Pick<Client, "create" | "patch" | "delete">;
  readonly accept: TranslateOptions;
  /** Returns the Snapshot, which is complete from the first call on. */
  readonly snapshot: () => Snapshot;
  /** Calls the listener when the Snapshot has changed. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void;
  readonly clock: Clock;
  readonly queued?: (event: QueueEvent) => void;
}

const workers = 5;
const maxRetries = 10;

/** Runs until the term is lost or `stop` aborts. */
export async function keepServiceIngresses(
  options: ServiceIngressOptions,
  term: Term,
  stop: AbortSignal,
): Promise<void> {
  const { clock, snapshot, say } = options;
  const signal = AbortSignal.any([term.lost, stop]);
  const queue = new WorkQueue(clock, { report: options.queued });
  let seen = snapshot();
  for (const key of everyKey(seen)) queue.add(key);
  const unsubscribe = options.onChange(() => {
    const before = seen;
    seen = snapshot();
    for (const key of changedKeys(before, seen, options.hostPattern)) queue.add(key);
  });
  const world: World = { ...options, signal };
  const work = async (key: string): Promise<Reconciled> =>
    signal.aborted || !term.holds()
      ? { kind: "done" }
      : reconcile(key, world).catch((bug: Error) => ({ kind: "retry", why: `a bug in Sluice: ${bugWords(bug)}` }));
  const gaveUp = (key: string, why: string) => {
    const service = snapshot().services.get(key);
    const message = `Ingress ${key} is not as the Service asks, after ${maxRetries} retries: ${why}`;
    if (service !== undefined) say(service, "Warning", "IngressFailed", message);
  };
  await runWorkers(queue, work, signal, { workers, maxRetries, gaveUp });
  unsubscribe();
}

/** Yields Services with the annotation, and Ingresses whose Service may have it no longer. */
function* everyKey({ services, ingresses }: Snapshot): Iterable<string> {
  for (const [key, service] of services) if (asksForIngress(service)) yield key;
  for (const [key, ingress] of ingresses) if (isMarked(ingress)) yield key;
}

/** Yields changed Services and Ingresses, and the Services that ask for the same host as these. */
function* changedKeys(before: Snapshot, now: Snapshot, hostPattern: string): Iterable<string> {
  if (before.ingressClasses !== now.ingressClasses) yield* everyKey(now);
  const changes = [...now.services.changesSince(before.services), ...now.ingresses.changesSince(before.ingresses)];
  for (const { key } of changes) {
    yield key;
    const service = now.services.get(key) ?? before.services.get(key);
    const asks = service !== undefined && [before, now].some(({ services }) => services.get(key)?.metadata.annotations);
    if (asks) yield* askingFor(hostFor(service, hostPattern), now, hostPattern);
  }
}
