/** The conditions to write, made from the wanted ones and those that an object has. */
import type { Condition } from "../../model/gateway/objects.ts";
import type { DesiredCondition } from "../../model/gateway/status.ts";

/** The generation that the status was made for, and its time. */
export interface Observation {
  /** `metadata.generation` of the object. */
  readonly generation: number;
  /** RFC 3339. */
  readonly at: string;
}

/** The definitions take no longer message. */
const longestMessage = 32_768;

/**
 * The wanted conditions. The time of a transition stays while the status does. Types with a slash
 * belong to other writers, and stay where there are some.
 */
export function conditionsOf(
  wanted: readonly DesiredCondition[],
  present: readonly Condition[],
  { generation, at }: Observation,
): readonly Condition[] {
  const own = wanted.map(({ type, status, reason, message }): Condition => {
    const before = present.find((one) => one.type === type);
    const lastTransitionTime = (before?.status === status && before.lastTransitionTime) || at;
    const seen = { observedGeneration: generation, lastTransitionTime };
    return { type, status, reason, message: message.slice(0, longestMessage), ...seen };
  });
  const others = present.filter(({ type }) => type.includes("/") && !wanted.some((one) => one.type === type));
  return [...own, ...others];
}

/** RFC 3339 without fractions of a second, as Kubernetes writes its times. */
export function timeOf(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\.\d+Z$/, "Z");
}
