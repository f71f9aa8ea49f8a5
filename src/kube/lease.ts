/**
 * The Lease object of an election, written as client-go writes it, so that candidates of both kinds
 * share one. Its times are for people: no candidate trusts the clock of another.
 */
import type { V1Lease, V1LeaseSpec } from "@kubernetes/client-node";
import type { Json, JsonObject } from "./json.ts";
import { resource } from "./resource.ts";

export type LeaseSpec = Json<V1LeaseSpec>;
export type Lease = JsonObject<V1Lease>;

export const leases = resource<Lease>({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
});

/**
 * Returns the Lease with `identity` as its holder. It keeps the time of acquisition if `identity`
 * had it before. `wallMs` is the present time.
 */
export function heldBy(identity: string, durationMs: number, wallMs: number, before: LeaseSpec = {}): LeaseSpec {
  const renewTime = microTime(wallMs);
  const mine = before.holderIdentity === identity;
  const transitions = before.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: (mine && before.acquireTime) || renewTime,
    renewTime,
    leaseTransitions: mine || before.holderIdentity === undefined ? transitions : transitions + 1,
  };
}

/**
 * Returns a Lease that is free for the first candidate: without a holder, and with a duration of
 * one second, the shortest that the API accepts.
 */
export function released(wallMs: number, before: LeaseSpec): LeaseSpec {
  return { ...before, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(wallMs) };
}

export const isReleased = (spec: LeaseSpec = {}): boolean => !spec.holderIdentity && spec.leaseDurationSeconds === 1;

/** Writes a time with exactly six digits after the second, as the API requires. */
const microTime = (wallMs: number) => new Date(wallMs).toISOString().replace("Z", "000Z");
