/** Makes the status of a route for each of its parents. */
import type { DesiredCondition, DesiredParentStatus } from "../../../model/gateway/status.ts";
import { type Problem, sentence } from "../../../model/problem.ts";
import { fails, holds, wordsOfAll } from "../conditions.ts";
import type { Attachment } from "./attach.ts";
import type { RulesRead } from "./rules.ts";

/** Whether the route counts as attached to the listeners of the attachment. */
export function isAccepted({ fault }: Attachment, { isVoid }: RulesRead): boolean {
  return fault === undefined && !isVoid;
}

/**
 * Makes the status for one parent. `refused` is the reason why nginx does not have the present form
 * of the route.
 */
export function parentStatus(attachment: Attachment, rules: RulesRead, refused?: Problem): DesiredParentStatus {
  const { parentRef } = attachment;
  if (refused !== undefined) {
    return { parentRef, conditions: [fails("Accepted", "UnsupportedValue", sentence(refused)), resolved(rules)] };
  }
  const isPartly = isAccepted(attachment, rules) && rules.invalid.length > 0;
  return {
    parentRef,
    conditions: [accepted(attachment, rules), resolved(rules), ...(isPartly ? [partiallyInvalid(rules)] : [])],
  };
}

function accepted(attachment: Attachment, { isVoid, invalid, notes }: RulesRead): DesiredCondition {
  const { fault, parent, listeners, refusedHosts } = attachment;
  if (fault !== undefined) return fails("Accepted", fault.reason, sentence(fault.problem));
  if (isVoid) {
    return fails(
      "Accepted",
      invalid[0]?.reason ?? "UnsupportedValue",
      wordsOfAll(invalid.map(({ problem }) => problem)),
    );
  }
  const names = listeners.map(({ listener }) => listener.name).join(", ");
  const which = `the route is attached to ${listeners.length === 1 ? "listener" : "listeners"} ${names} of ${parent.called}`;
  const besides = [...refusedHosts, ...notes];
  return holds("Accepted", besides.length === 0 ? which : `${which}. ${wordsOfAll(besides)}`);
}

function resolved({ unresolved }: RulesRead): DesiredCondition {
  const [first] = unresolved;
  if (first === undefined) return holds("ResolvedRefs", "all that the route refers to is found and permitted");
  return fails("ResolvedRefs", first.reason, wordsOfAll(unresolved.map(({ problem }) => problem)));
}

/**
 * Returns the status of a route in shadow. It is accepted like any other, because its references
 * and its place are checked.
 */
export function inShadow({ parentRef, conditions }: DesiredParentStatus): DesiredParentStatus {
  const message = "the route serves nothing; its decisions are compared with those that count (sluice routes --shadow)";
  return { parentRef, conditions: [...conditions, holds("sluice.dev/Shadow", message, "Shadow")] };
}

/** Adds notes to the conditions of an accepted route. */
export function withNotes(status: DesiredParentStatus, problems: readonly Problem[]): DesiredParentStatus {
  if (problems.length === 0) return status;
  const conditions = status.conditions.map((one) => {
    const isAcceptance = one.type === "Accepted" && one.status === "True";
    return isAcceptance ? { ...one, message: `${one.message}. ${wordsOfAll(problems)}` } : one;
  });
  return { ...status, conditions };
}

/**
 * Returns the condition for routes with some invalid rules. The Gateway API prescribes the
 * beginning of the message.
 */
function partiallyInvalid({ invalid }: RulesRead): DesiredCondition {
  const words = wordsOfAll(invalid.map(({ problem }) => problem));
  return holds("PartiallyInvalid", `Dropped Rule: ${words}`, invalid[0]!.reason);
}
