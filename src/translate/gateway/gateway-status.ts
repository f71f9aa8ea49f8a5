/** The status of a Gateway and its listeners. */
import type { DesiredCondition, DesiredListenerStatus, DesiredStatus } from "../../model/gateway/status.ts";
import { sentence } from "../../problem.ts";
import type { Assignment } from "./addresses.ts";
import { type Fault, fails, holds, wordsOfAll } from "./conditions.ts";
import { type GatewayReading, isUsable, type ListenerReading } from "./reading.ts";

export interface GatewayState {
  readonly reading: GatewayReading;
  readonly assignment: Assignment;
  /** By id of the listener: why its port cannot be had. */
  readonly unavailable: ReadonlyMap<string, Fault>;
}

/** `attached` counts the accepted routes of a listener by its id. */
export function gatewayStatus(state: GatewayState, attached: (id: string) => number): DesiredStatus {
  const { reading, assignment } = state;
  const listeners = reading.listeners.map((one) => listenerStatus(one, state, attached(one.id)));
  const { addresses } = assignment;
  return {
    kind: "Gateway",
    object: reading.present,
    conditions: [accepted(state), programmed(state, listeners), resolved(reading)],
    addresses: addresses.map((value) => ({ type: "IPAddress", value })),
    listeners,
  };
}

function accepted({ reading, assignment, unavailable }: GatewayState): DesiredCondition {
  const { listeners, parameters, unserved, refused } = reading;
  if (refused !== undefined) return fails("Accepted", "Invalid", sentence(refused));
  if (assignment.unsupported !== undefined) {
    return fails("Accepted", "UnsupportedAddress", sentence(assignment.unsupported));
  }
  if (parameters !== undefined) return fails("Accepted", "InvalidParameters", sentence(parameters));
  const faults = listeners.flatMap((one) => refusal(one, unavailable) ?? []);
  const words = wordsOfAll(faults.map(({ problem }) => problem));
  if (faults.length > 0 && faults.length === listeners.length) return fails("Accepted", "ListenersNotValid", words);
  if (faults.length > 0) return holds("Accepted", words, "ListenersNotValid");
  const more = unserved.length === 0 ? "" : `. ${wordsOfAll(unserved)}`;
  return holds("Accepted", `the Gateway is served${more}`);
}

function refusal(one: ListenerReading, unavailable: GatewayState["unavailable"]): Fault | undefined {
  return one.conflict ?? one.refused ?? unavailable.get(one.id);
}

function programmed(
  { reading, assignment, unavailable }: GatewayState,
  listeners: readonly DesiredListenerStatus[],
): DesiredCondition {
  const { unsupported, lacking } = assignment;
  if (unsupported !== undefined) return fails("Programmed", "Invalid", sentence(unsupported));
  if (lacking !== undefined) return fails("Programmed", lacking.reason, sentence(lacking.problem));
  const isLive = ({ conditions }: DesiredListenerStatus) =>
    conditions.some(({ type, status }) => type === "Programmed" && status === "True");
  if (listeners.some(isLive)) return holds("Programmed", "nginx listens for the Gateway and has its routes");
  const faults = reading.listeners.flatMap((one) => refusal(one, unavailable) ?? one.unresolved);
  return fails("Programmed", "Invalid", wordsOfAll(faults.map(({ problem }) => problem)));
}

function resolved({ listeners }: GatewayReading): DesiredCondition {
  const unresolved = listeners.flatMap((one) => one.unresolved);
  if (unresolved.length === 0) return holds("ResolvedRefs", "all that the listeners refer to is found and permitted");
  return fails("ResolvedRefs", "ListenersNotResolved", wordsOfAll(unresolved.map(({ problem }) => problem)));
}

function listenerStatus(one: ListenerReading, state: GatewayState, attachedRoutes: number): DesiredListenerStatus {
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
      ...(overlaps.length === 0 ? [] : [overlapping(overlaps)]),
    ],
  };
}

function overlapping(overlaps: readonly string[]): DesiredCondition {
  const which = overlaps.length === 1 ? `listener ${overlaps[0]}` : `listeners ${overlaps.join(", ")}`;
  const message = `some hosts belong to ${which} too, so a client that reuses a connection for another host gets 421`;
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
  const { lacking, addresses } = assignment;
  if (lacking !== undefined && addresses.length === 0) return fails("Programmed", "Pending", sentence(lacking.problem));
  return holds("Programmed", "nginx listens for it and has its routes");
}
