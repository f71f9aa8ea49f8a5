/** Collects the Problems of a Gateway or a ListenerSet and their listeners. */
import type { Problem } from "../../../model/problem.ts";
import { assignmentProblems } from "../addresses.ts";
import type { Fault } from "../conditions.ts";
import type { ListenerReading, SetReading } from "../reading.ts";
import type { GatewayState } from "./listener-status.ts";

export function problemsOfGateway({ reading, assignment, unavailable }: GatewayState): readonly Problem[] {
  const parameters = reading.parameters === undefined ? [] : [reading.parameters];
  const refused = reading.refused === undefined ? [] : [reading.refused];
  const ofListeners = problemsOfListeners(reading.listeners, unavailable);
  const own = reading.unresolved.map(({ problem }) => problem);
  return [...refused, ...ofListeners, ...own, ...assignmentProblems(assignment), ...parameters, ...reading.unserved];
}

export function problemsOfSet(
  { refused, notAllowed, listeners, unserved }: SetReading,
  unavailable: ReadonlyMap<string, Fault>,
): readonly Problem[] {
  const one = refused ?? notAllowed;
  return [...(one === undefined ? [] : [one]), ...problemsOfListeners(listeners, unavailable), ...unserved];
}

function problemsOfListeners(
  listeners: readonly ListenerReading[],
  unavailable: ReadonlyMap<string, Fault>,
): readonly Problem[] {
  return listeners.flatMap(({ id, conflict, refused, unresolved }) =>
    [conflict, refused, unavailable.get(id), ...unresolved].flatMap((fault) => fault?.problem ?? []),
  );
}
