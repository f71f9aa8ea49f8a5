/**
 * Compares one Foo with its Deployment, and sends the requests that make the Deployment fit. It
 * reads the caches, which may be a moment behind. The API server refuses a request that is based on
 * an old version (409), and the key is tried again.
 */
import type { ApiFailure, Client, EventRecorder, Lister, Reconciled } from "../../src/kube/index.ts";
import { type Deployment, deploymentFor, deployments, type Foo, foos, isOwnedBy } from "./kinds.ts";

export interface World {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly foos: Lister<Foo>;
  readonly deployments: Lister<Deployment>;
  readonly signal: AbortSignal;
}

const done: Reconciled = { kind: "done" };
const retry = (failure: ApiFailure): Reconciled => ({ kind: "retry", why: failure.message });

export async function reconcile(key: string, world: World): Promise<Reconciled> {
  const foo = world.foos.get(key);
  if (foo === undefined) return done;
  const { client, events, signal } = world;
  const { namespace } = foo.metadata;
  const found = world.deployments.get(`${namespace}/${foo.spec.deploymentName}`);

  if (found === undefined) {
    const created = await client.create(deployments, deploymentFor(foo), signal);
    if (!created.ok) return retry(created.failure);
    events.record(foo, "Normal", "Created", `Deployment ${foo.spec.deploymentName} created`);
    return done;
  }

  if (!isOwnedBy(found, foo)) {
    const message = `Deployment ${foo.spec.deploymentName} exists and is not managed by this Foo; left alone`;
    events.record(foo, "Warning", "ErrResourceExists", message);
    return done;
  }

  if (found.spec?.replicas !== foo.spec.replicas) {
    const body = {
      metadata: { resourceVersion: found.metadata.resourceVersion },
      spec: { replicas: foo.spec.replicas },
    };
    const patched = await client.patch(deployments, found.metadata, { type: "merge", body }, signal);
    if (!patched.ok) return retry(patched.failure);
    events.record(
      foo,
      "Normal",
      "Scaled",
      `Deployment ${foo.spec.deploymentName} set to ${foo.spec.replicas} replicas`,
    );
  }

  const availableReplicas = found.status?.availableReplicas ?? 0;
  if (foo.status?.availableReplicas === availableReplicas) return done;
  const status = { type: "merge", body: { status: { availableReplicas } }, subresource: "status" } as const;
  const written = await client.patch(foos, foo.metadata, status, signal);
  return written.ok ? done : retry(written.failure);
}
