/** Writes the Service of one Gateway, and then its EndpointSlices. */

import { isServiceOf, isSliceOf, portKey, serviceKeyOf } from "../../core/model/gateway/services.ts";
import { type EndpointSlice, type KubernetesObject, keyOf, objectKey, type Service } from "../../core/model/objects.ts";
import { type ApiFailure, nameOf, type Reconciled, versionOf } from "../../kube/index.ts";
import { endpointSlices, services } from "../resources.ts";
import { newService, serviceChanges, type Targets } from "./service.ts";
import { type PodEndpoint, sliceChanges, sliceNames, slicesFor } from "./slices.ts";
import type { WantedService } from "./wanted.ts";
import { type ServicesWorld, serviceIn, sliceIn } from "./world.ts";
import { write } from "./write.ts";

export interface Round {
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

const done: Reconciled = { kind: "done" };

type Failure = { readonly failure: ApiFailure };

export class ServiceWriter {
  readonly #world: ServicesWorld;
  /** The last answers of the API server, by kind and key, because a watch may lag behind. */
  readonly #answered = new Map<string, KubernetesObject>();
  /**
   * The last correct form of each Service, by key. If it changes while the Gateway does not, a user
   * or another program has edited the Service.
   */
  readonly #settled = new Map<string, string>();

  constructor(world: ServicesWorld) {
    this.#world = world;
  }

  /**
   * Writes the Service of a Gateway and its slices. `endpoints` is undefined while the Pods are
   * unknown.
   */
  async reconcile(
    wanted: WantedService,
    targets: Targets,
    endpoints: readonly PodEndpoint[] | undefined,
    round: Round,
  ): Promise<Reconciled> {
    const isReady = wanted.service.ports.some((port) => targets[portKey(port)] !== undefined);
    if (!isReady) return done;
    const service = await this.#writeService(wanted, targets, round);
    if (service === undefined) return done;
    if ("failure" in service) return this.#later(wanted, service.failure);
    if (endpoints === undefined) return done;
    for (const slice of slicesFor(service, endpoints)) {
      const failure = await this.#writeSlice(slice, service, round);
      if (failure !== undefined) return this.#later(wanted, failure);
    }
    return done;
  }

  /** Deletes the Service of a Gateway that may not have one any more, and its slices. */
  async remove(service: Service, { mayWrite, signal }: Round): Promise<ApiFailure | undefined> {
    const { namespace, name, uid } = service.metadata;
    for (const key of sliceNames(name).map((slice) => `${namespace}/${slice}`)) {
      const slice = sliceIn(this.#world, key);
      if (slice === undefined || !isSliceOf(slice, service)) continue;
      const failure = await this.#delete(endpointSlices, slice, { mayWrite, signal });
      if (failure !== undefined) return failure;
    }
    this.#settled.delete(keyOf(service));
    if (uid === undefined || service.metadata.deletionTimestamp !== undefined) return undefined;
    return this.#delete(services, service, { mayWrite, signal });
  }

  async #delete(of: typeof services | typeof endpointSlices, { metadata }: KubernetesObject, round: Round) {
    if (!round.mayWrite()) return undefined;
    const { namespace, name, uid } = metadata;
    const answer = await this.#world.client.delete(of, { namespace, name }, round.signal, uid ? { uid } : {});
    return answer.ok || answer.failure.code === 404 ? undefined : answer.failure;
  }

  /** Returns undefined if nothing has to be done afterwards. */
  async #writeService(
    { gateway, service: wanted }: WantedService,
    targets: Targets,
    round: Round,
  ): Promise<Service | Failure | undefined> {
    const key = serviceKeyOf(gateway, wanted);
    const { controllerName, newest, say, client } = this.#world;
    const known = await this.#newest(services, serviceIn(this.#world, key), key, round.signal);
    const isThere = () =>
      newest("Gateway", `${gateway.metadata.namespace}/${gateway.metadata.name}`)?.metadata.uid ===
      gateway.metadata.uid;
    const wish = JSON.stringify([wanted, targets]);
    const wasRight = this.#settled.get(key) === wish;
    const written = await write<Service>({
      client,
      of: services,
      key,
      known,
      made: () => (wanted.parameters === undefined || !isThere() ? undefined : newService(gateway, wanted, targets)),
      isOurs: (present) => isServiceOf(present, gateway, controllerName),
      changes: (present) => serviceChanges(present, wanted, targets),
      ...round,
    });
    switch (written.kind) {
      case "failed":
        return written;
      case "none":
      case "foreign":
        // The Gateway already has a Problem about a Service that Sluice did not create.
        this.#settled.delete(key);
        return undefined;
      case "created":
      case "changed":
        this.#answered.set(objectKey("Service", key), written.object);
        if (wasRight)
          say(gateway, "Warning", "ServiceCorrected", `Service ${key} was changed or deleted, and is put back`);
        else if (written.kind === "created") say(gateway, "Normal", "ServiceCreated", `Service ${key} was made`);
    }
    this.#settled.set(key, wish);
    return written.object;
  }

  async #writeSlice(wanted: EndpointSlice, service: Service, round: Round): Promise<ApiFailure | undefined> {
    const key = keyOf(wanted);
    // Without a Pod of this family of addresses, no slice is needed.
    const known = await this.#newest(endpointSlices, sliceIn(this.#world, key), key, round.signal);
    const written = await write<EndpointSlice>({
      client: this.#world.client,
      of: endpointSlices,
      key,
      known,
      made: () => (wanted.endpoints?.length === 0 ? undefined : wanted),
      isOurs: (present) => isSliceOf(present, service),
      changes: (present) => sliceChanges(present, wanted),
      ...round,
    });
    if (written.kind === "failed") return written.failure;
    if (written.kind === "created" || written.kind === "changed") {
      this.#answered.set(objectKey("EndpointSlice", key), written.object);
    }
    return undefined;
  }

  /**
   * Returns the newer form of two: that of the watch, and that of the last answer. An object that
   * was created and is not in the watch is requested.
   */
  async #newest<T extends KubernetesObject>(
    of: typeof services | typeof endpointSlices,
    seen: T | undefined,
    key: string,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const called = objectKey(of.kind, key);
    const answered = this.#answered.get(called) as T | undefined;
    if (answered === undefined) return seen;
    if (seen !== undefined) return versionOf(answered) > versionOf(seen) ? answered : seen;
    const read = await this.#world.client.get(of as never, nameOf(key), signal);
    if (read.ok) return read.value as T;
    if (read.failure.code !== 404) return answered;
    this.#answered.delete(called);
    return undefined;
  }

  #later({ gateway }: WantedService, failure: ApiFailure): Reconciled {
    this.#world.failed(`Gateway ${keyOf(gateway)}`, failure);
    if (failure.code === 0 || failure.retryAfterMs !== undefined) {
      return { kind: "after", delayMs: failure.retryAfterMs ?? 5_000 };
    }
    const message = `The Service of the Gateway cannot be written: ${failure.message}`;
    if (failure.code === 422 || failure.code === 403) this.#world.say(gateway, "Warning", "ServiceFailed", message);
    return { kind: "retry", why: failure.message };
  }
}
