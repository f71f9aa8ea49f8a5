/**
 * A controller runtime: everything between the API server and a controller's own logic, without any
 * knowledge of what it controls. This file is its interface; the others are its implementation.
 */

export { type Clock, sleep, systemClock } from "../base/timing/clock.ts";
export { type Answer, type ApiFailure, bugFailure, isDenied, isVersionLost, ownReasons, succeeded } from "./answer.ts";
export { Client, type Discoverer, type ListWatcher } from "./client.ts";
export {
  type Credentials,
  findCredentials,
  kubeConfigCredentials,
  podCredentials,
} from "./credentials.ts";
export type { ObjectReference, Occurrence } from "./event-correlator.ts";
export { EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
export { freeze, type Transform } from "./intake.ts";
export type { Json, JsonObject } from "./json.ts";
export { type Lease, leases } from "./lease.ts";
export { type ElectionEvent, type ElectionOptions, LeaseElection, type Term } from "./lease-election.ts";
export { type KubernetesObject, keyOf, nameOf, versionOf } from "./object.ts";
export { perKey } from "./rate-limiter.ts";
export { Reflector, type ReflectorEvent, type ReflectorOptions, type ReflectorSink } from "./reflector.ts";
export type { List, ListOptions, Patch, SentRequest, ServedKind, WatchEvent, WatchOptions } from "./requests.ts";
export { type ObjectName, type Resource, resource } from "./resource.ts";
export { type Change, type InformerOptions, type Listener, type Lister, SharedInformer } from "./shared-informer.ts";
export { type QueueEvent, WorkQueue, type WorkQueueOptions } from "./work-queue.ts";
export { type Reconciled, runWorkers, type WorkersOptions } from "./workers.ts";
