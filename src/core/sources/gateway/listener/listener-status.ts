/** Makes the status of one listener, which is the same for a Gateway and a ListenerSet. */
import { type DesiredService, portKey } from "../../../model/gateway/services.ts";
import type { DesiredCondition, DesiredListenerStatus } from "../../../model/gateway/status.ts";
import { sentence } from "../../../model/problem.ts";
import type { Assignment } from "../addresses.ts";
import { type Fault, fails, holds, wordsOfAll } from "../conditions.ts";
import { type GatewayReading, isUsable, type ListenerReading, type SetReading } from "../reading.ts";
import { transportOf } from "../services/desired.ts";

export interface GatewayState {
  readonly reading: GatewayReading;
  readonly assignment: Assignment;
  /** The reason why a port is not available, by id of the listener. */
  readonly unavailable: ReadonlyMap<string, Fault>;
  /** The Service that the Gateway should have, if it has no address of the pool. */
  readonly service: DesiredService | undefined;
}

/** Whether nginx accepts the set, and the set has a listener that can be served. */
export function isValid({ refused, listeners }: SetReading, { unavailable }: GatewayState): boolean {
  const canBeServed = (one: ListenerReading) =>
    refusal(one, unavailable) === undefined && (!one.tls || one.certificates.length > 0);
  return refused === undefined && listeners.some(canBeServed);
}

/** Returns why a listener is not accepted. */
export function refusal(one: ListenerReading, unavailable: GatewayState["unavailable"]): Fault | undefined {
  return one.conflict ?? one.refused ?? unavailable.get(one.id);
}

export function listenerStatus(
  one: ListenerReading,
  state: GatewayState,
  attachedRoutes: number,
): DesiredListenerStatus {
  const { listener, kinds, overlaps, unresolved, conflict } = one;
  const [first] = unresolved;
  return {
    name: listener.name,
    supportedKinds: kinds,
    attachedRoutes,
    conditions: [
      listenerAccepted(one, state),
      conflict === undefined
        ? fails("Conflicted", "NoConflicts", "no other listener of the Gateway is in its way")
        : holds("Conflicted", sentence(conflict.problem), conflict.reason),
      listenerProgrammed(one, state),
      first === undefined
        ? holds("ResolvedRefs", "all that it refers to is found and permitted")
        : fails("ResolvedRefs", first.reason, wordsOfAll(unresolved.map(({ problem }) => problem))),
      ...(overlaps.length === 0 && !one.overlapsOthers ? [] : [overlapping(one)]),
    ],
  };
}

function overlapping({ owner, overlaps, overlapsOthers, stream }: ListenerReading): DesiredCondition {
  const others = owner.kind === "Gateway" ? "listeners of ListenerSets" : "other listeners of the Gateway";
  const own = overlaps.length === 1 ? `listener ${overlaps[0]}` : `listeners ${overlaps.join(", ")}`;
  const which = [...(overlaps.length === 0 ? [] : [own]), ...(overlapsOthers ? [others] : [])].join(" and ");
  const effect =
    stream === undefined
      ? "so a client that reuses a connection for another host gets 421"
      : "and the most specific hostname takes a connection";
  const message = `some hosts belong to ${which} too, ${effect}`;
  return holds("OverlappingTLSConfig", message, "OverlappingHostnames");
}

function listenerAccepted(one: ListenerReading, { unavailable }: GatewayState): DesiredCondition {
  const fault = refusal(one, unavailable);
  if (fault === undefined) return holds("Accepted", "the listener is served");
  return fails("Accepted", fault.reason, sentence(fault.problem));
}

function listenerProgrammed(one: ListenerReading, { assignment, unavailable }: GatewayState): DesiredCondition {
  const { conflict, unresolved, certificates, tls } = one;
  if (conflict !== undefined) return fails("Programmed", conflict.reason, sentence(conflict.problem));
  const fault = refusal(one, unavailable);
  if (fault !== undefined || !isUsable(one)) return fails("Programmed", "Invalid", sentence(fault!.problem));
  if (tls && certificates.length === 0) {
    return fails("Programmed", "Invalid", wordsOfAll(unresolved.map(({ problem }) => problem)));
  }
  const { lacking, waiting, unsupported, addresses, own, ofIngresses } = assignment;
  if (unsupported !== undefined && addresses.length === 0 && own === undefined && ofIngresses === undefined) {
    return fails("Programmed", "Invalid", sentence(unsupported));
  }
  if (lacking !== undefined && !isPlaced(one, assignment)) {
    return fails("Programmed", "Pending", sentence(lacking.problem));
  }
  if (waiting !== undefined) return fails("Programmed", "Pending", waiting);
  if (own !== undefined && !isPlaced(one, assignment)) {
    return fails("Programmed", "Pending", "the Service of the Gateway waits for a port of nginx for the listener");
  }
  return holds("Programmed", "nginx listens for it and has its routes");
}

/** Whether clients can reach the listener. */
function isPlaced({ listener: { port, protocol } }: ListenerReading, { own, addresses }: Assignment): boolean {
  if (own === undefined) return addresses.length > 0;
  return own.addresses.length > 0 && own.targets[portKey({ port, protocol: transportOf(protocol) })] !== undefined;
}
