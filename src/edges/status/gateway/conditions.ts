/** Makes the conditions to write, from the wanted ones and those that an object has. */
import type { Condition } from "../../../core/model/gateway/objects.ts";
import type { DesiredCondition } from "../../../core/model/gateway/status.ts";

/** The generation that the status was made for, and its time. */
export interface Observation {
  /** `metadata.generation` of the object. */
  readonly generation: number;
  /** A time in the form of RFC 3339. */
  readonly at: string;
}

/** The longest message that the definitions allow. */
const longestMessage = 32_768;

/**
 * Returns the wanted conditions. The time of a transition stays as long as the status stays. A
 * condition about a later generation stays, because it was written by one who knows a newer object.
 * Conditions whose types have a slash belong to other writers and are kept.
 */
export function conditionsOf(
  wanted: readonly DesiredCondition[],
  present: readonly Condition[],
  { generation, at }: Observation,
): readonly Condition[] {
  const own = wanted.map(({ type, status, reason, message }): Condition => {
    const before = present.find((one) => one.type === type);
    if (before !== undefined && (before.observedGeneration ?? 0) > generation) return before;
    const lastTransitionTime = (before?.status === status && before.lastTransitionTime) || at;
    const seen = { observedGeneration: generation, lastTransitionTime };
    return { type, status, reason, message: message.slice(0, longestMessage), ...seen };
  });
  const others = present.filter(({ type }) => type.includes("/") && !wanted.some((one) => one.type === type));
  return [...own, ...others];
}

/** Returns the time as RFC 3339 without fractions of a second, as Kubernetes writes times. */
export function timeOf(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\.\d+Z$/, "Z");
}
