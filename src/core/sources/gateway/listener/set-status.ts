/** Makes the status of a ListenerSet and its listeners. */
import type { DesiredCondition, DesiredListenerStatus, DesiredStatus } from "../../../model/gateway/status.ts";
import { sentence } from "../../../model/problem.ts";
import { fails, holds, wordsOfAll } from "../conditions.ts";
import { accepted as acceptedGateway } from "../gateway-status.ts";
import type { SetReading } from "../reading.ts";
import { type GatewayState, isValid, listenerStatus, refusal } from "./listener-status.ts";

/**
 * Makes the status. `state` is that of its Gateway. `attached` returns the number of accepted
 * routes of a listener, by its id.
 */
export function setStatus(set: SetReading, state: GatewayState, attached: (id: string) => number): DesiredStatus {
  const listeners = set.listeners.map((one) => listenerStatus(one, state, attached(one.id)));
  return {
    kind: "ListenerSet",
    object: set.present,
    conditions: [accepted(set, state), programmed(set, state, listeners)],
    listeners,
  };
}

function accepted(set: SetReading, state: GatewayState): DesiredCondition {
  const { notAllowed, refused, unserved, gateway } = set;
  if (refused !== undefined) return fails("Accepted", "Invalid", sentence(refused));
  if (notAllowed !== undefined) return fails("Accepted", "NotAllowed", sentence(notAllowed));
  if (acceptedGateway(state).status !== "True") {
    return fails("Accepted", "ParentNotAccepted", `Gateway ${gateway} is not accepted, as its own status says`);
  }
  const words = faultWords(set, state);
  if (!isValid(set, state)) return fails("Accepted", "ListenersNotValid", words);
  const more = unserved.length === 0 ? "" : `. ${wordsOfAll(unserved)}`;
  if (words !== "") return holds("Accepted", `${words}${more}`, "ListenersNotValid");
  return holds("Accepted", `the listeners are served by Gateway ${gateway}${more}`);
}

function programmed(
  set: SetReading,
  state: GatewayState,
  listeners: readonly DesiredListenerStatus[],
): DesiredCondition {
  const { notAllowed, refused, gateway } = set;
  if (notAllowed !== undefined) return fails("Programmed", "NotAllowed", sentence(notAllowed));
  const isLive = ({ conditions }: DesiredListenerStatus) =>
    conditions.some(({ type, status }) => type === "Programmed" && status === "True");
  if (listeners.some(isLive)) return holds("Programmed", "nginx listens for the set and has its routes");
  if (isValid(set, state)) {
    return fails("Programmed", "ParentNotProgrammed", `Gateway ${gateway} is not programmed, as its own status says`);
  }
  if (refused !== undefined) return fails("Programmed", "Invalid", sentence(refused));
  return fails("Programmed", "ListenersNotValid", faultWords(set, state));
}

/** Returns the mistakes of its listeners, one after the other; empty if there is none. */
function faultWords({ listeners }: SetReading, { unavailable }: GatewayState): string {
  const faults = listeners.flatMap((one) => {
    const fault = refusal(one, unavailable);
    if (fault !== undefined) return [fault];
    return one.tls && one.certificates.length === 0 ? one.unresolved : [];
  });
  return wordsOfAll(faults.map(({ problem }) => problem));
}
