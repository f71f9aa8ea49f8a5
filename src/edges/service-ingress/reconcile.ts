/**
 * Compares one Service with the Ingress of its name and makes the request that is needed. It reads
 * the Snapshot, which may be outdated, so requests have the uid of their object and fail when that
 * has changed.
 */

import { type Ingress, type KubernetesObject, keyOf, type Service } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import type { ApiFailure, Client, Reconciled } from "../../kube/index.ts";
import { ingresses } from "../resources.ts";
import { asksForIngress, hostFor, ingressFor, isOurs, leadsTheSameWay, ownClass } from "./desired.ts";
import { rivalOf } from "./rivals.ts";

export interface World {
  readonly client: Pick<Client, "create" | "patch" | "delete">;
  readonly snapshot: () => Snapshot;
  readonly accept: TranslateOptions;
  /** `{service}.{namespace}.example.com`. */
  readonly hostPattern: string;
  readonly say: (about: KubernetesObject, type: "Normal" | "Warning", reason: string, message: string) => void;
  readonly signal: AbortSignal;
}

const done: Reconciled = { kind: "done" };

export async function reconcile(key: string, world: World): Promise<Reconciled> {
  const { services, ingresses: present, ingressClasses } = world.snapshot();
  const service = services.get(key);
  const there = present.get(key);
  // Kubernetes deletes an Ingress together with the Service that owns it.
  if (service === undefined) return done;
  if (!asksForIngress(service)) {
    return there !== undefined && isOurs(there, service) ? remove(there, service, world) : done;
  }
  const rival = rivalOf(service, world.snapshot(), world.hostPattern);
  if (rival !== undefined) {
    // The author of this Service may not know the names in other namespaces.
    const isSecret = rival.metadata.namespace !== service.metadata.namespace;
    const other = isSecret ? "a Service of another namespace" : `Service ${keyOf(rival)}`;
    const host = hostFor(service, world.hostPattern);
    world.say(
      service,
      "Warning",
      "HostTaken",
      `${other} has host ${host} by --service-ingress-host; it gets no Ingress`,
    );
    return there !== undefined && isOurs(there, service) ? remove(there, service, world, "its host is taken") : done;
  }
  const wanted = ingressFor(service, world.hostPattern, ownClass(ingressClasses, world.accept));
  if (wanted === undefined) {
    world.say(service, "Warning", "IngressNotMade", "The Service has no TCP port that an Ingress could lead to");
    return done;
  }
  if (there === undefined) return create(wanted, service, world);
  if (isOurs(there, service)) return leadsTheSameWay(there, wanted) ? done : correct(there, wanted, service, world);
  world.say(
    service,
    "Warning",
    "IngressExists",
    `Ingress ${key} exists and was not made for this Service; it is left alone`,
  );
  return done;
}

async function create(wanted: Ingress, service: Service, { client, say, signal }: World): Promise<Reconciled> {
  const answer = await client.create(ingresses, wanted, signal);
  if (!answer.ok) return later(answer.failure);
  say(service, "Normal", "IngressCreated", `Ingress ${keyOf(wanted)} was made for ${wanted.spec?.rules?.[0]?.host}`);
  return done;
}

async function correct(there: Ingress, wanted: Ingress, service: Service, world: World): Promise<Reconciled> {
  const { spec, metadata } = wanted;
  const body = { metadata: { uid: there.metadata.uid, annotations: metadata.annotations }, spec };
  const answer = await world.client.patch(ingresses, metadata, { type: "merge", body }, world.signal);
  if (!answer.ok) return later(answer.failure);
  world.say(service, "Normal", "IngressCorrected", `Ingress ${keyOf(there)} leads to ${spec?.rules?.[0]?.host} again`);
  return done;
}

async function remove(
  there: Ingress,
  service: Service,
  { client, say, signal }: World,
  why = "the Service no longer asks for it",
): Promise<Reconciled> {
  const { uid } = there.metadata;
  const answer = await client.delete(ingresses, there.metadata, signal, uid === undefined ? {} : { uid });
  if (!answer.ok) return answer.failure.code === 404 ? done : later(answer.failure);
  say(service, "Normal", "IngressDeleted", `Ingress ${keyOf(there)} was deleted: ${why}`);
  return done;
}

/**
 * Returns the outcome of a failed request. A server that is away does not count as a failed try of
 * the key.
 */
function later({ code, message, retryAfterMs }: ApiFailure): Reconciled {
  if (code === 0 || retryAfterMs !== undefined) return { kind: "after", delayMs: retryAfterMs ?? 5_000 };
  return { kind: "retry", why: message };
}
