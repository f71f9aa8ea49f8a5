/** Makes the status of a Gateway. */
import type { DesiredCondition, DesiredListenerStatus, DesiredStatus } from "../../model/gateway/status.ts";
import { sentence } from "../../model/problem.ts";
import { fails, holds, wordsOfAll } from "./conditions.ts";
import { lenientFields } from "./listener/clients.ts";
import { isDefault } from "./listener/default-gateways.ts";
import { type GatewayState, isValid, listenerStatus, refusal } from "./listener/listener-status.ts";
import type { GatewayReading } from "./reading.ts";

/** `attached` returns the number of accepted routes of a listener, by its id. */
export function gatewayStatus(state: GatewayState, attached: (id: string) => number): DesiredStatus {
  const { reading, assignment } = state;
  const listeners = reading.listeners.map((one) => listenerStatus(one, state, attached(one.id)));
  const { addresses } = assignment;
  const acceptance = accepted(state);
  const isAccepted = acceptance.status === "True";
  return {
    kind: "Gateway",
    object: reading.present,
    conditions: [
      acceptance,
      programmed(state, listeners),
      resolved(reading),
      ...insecure(reading),
      ...asDefault(reading),
    ],
    addresses: assignment.own?.addresses ?? addresses.map((value) => ({ type: "IPAddress", value })),
    ...(assignment.ofIngresses === true ? { hasIngressAddresses: true } : {}),
    listeners,
    ...(assignment.own === undefined || state.service === undefined ? {} : { service: state.service }),
    attachedListenerSets: isAccepted ? reading.sets.filter((set) => isValid(set, state)).length : 0,
  };
}

/** Whether the Gateway is accepted. */
export function accepted({ reading, assignment, unavailable }: GatewayState): DesiredCondition {
  const { listeners, parameters, unserved, refused } = reading;
  if (refused !== undefined) return fails("Accepted", "Invalid", sentence(refused));
  if (assignment.unsupported !== undefined) {
    return fails("Accepted", "UnsupportedAddress", sentence(assignment.unsupported));
  }
  if (parameters !== undefined) return fails("Accepted", "InvalidParameters", sentence(parameters));
  const faults = listeners.flatMap((one) => refusal(one, unavailable) ?? []);
  const words = wordsOfAll(faults.map(({ problem }) => problem));
  if (faults.length > 0 && faults.length === listeners.length) return fails("Accepted", "ListenersNotValid", words);
  const more = unserved.length === 0 ? "" : `. ${wordsOfAll(unserved)}`;
  if (faults.length > 0) return holds("Accepted", `${words}${more}`, "ListenersNotValid");
  return holds("Accepted", `the Gateway is served${more}`);
}

function programmed(
  { reading, assignment, unavailable }: GatewayState,
  listeners: readonly DesiredListenerStatus[],
): DesiredCondition {
  const { unsupported, lacking, waiting } = assignment;
  if (unsupported !== undefined) return fails("Programmed", "Invalid", sentence(unsupported));
  if (lacking !== undefined) return fails("Programmed", lacking.reason, sentence(lacking.problem));
  if (waiting !== undefined) return fails("Programmed", "Pending", waiting);
  const isLive = ({ conditions }: DesiredListenerStatus) =>
    conditions.some(({ type, status }) => type === "Programmed" && status === "True");
  if (listeners.some(isLive)) return holds("Programmed", "nginx listens for the Gateway and has its routes");
  const faults = reading.listeners.flatMap((one) => refusal(one, unavailable) ?? one.unresolved);
  return fails("Programmed", "Invalid", wordsOfAll(faults.map(({ problem }) => problem)));
}

function resolved({ listeners, unresolved: own }: GatewayReading): DesiredCondition {
  const unresolved = [...own, ...listeners.flatMap((one) => one.unresolved)];
  if (unresolved.length === 0) return holds("ResolvedRefs", "all that the Gateway refers to is found and permitted");
  const reason = own[0]?.reason ?? "ListenersNotResolved";
  return fails("ResolvedRefs", reason, wordsOfAll(unresolved.map(({ problem }) => problem)));
}

/** Returns the condition that GEP-3793 requires of default Gateways. */
function asDefault({ present }: GatewayReading): readonly DesiredCondition[] {
  if (!isDefault(present)) return [];
  return [holds("DefaultGateway", "the default scope is All: routes with useDefaultGateways All are attached")];
}

/**
 * Returns the condition that the Gateway API requires while clients without a certificate are let
 * in.
 */
function insecure({ gateway }: GatewayReading): readonly DesiredCondition[] {
  const fields = lenientFields(gateway);
  if (fields.length === 0) return [];
  const message = `${fields.join(", ")}: clients without a valid certificate are let in, and backends have to look at ssl-client-verify`;
  return [holds("InsecureFrontendValidationMode", message, "ConfigurationChanged")];
}
