/** Problems that features find themselves, beyond the reading of their fields. */
import type { Consequence, Problem, Why } from "../model/problem.ts";
import type { Context, Resolved } from "./declare.ts";

/** The annotation is readable and has no effect. */
export function useless({ ingress: object }: Pick<Context, "ingress">, key: string, reason: string | Why): Problem {
  return { object, kind: "annotation-useless", key, ...(typeof reason === "string" ? { why: reason } : reason) };
}

/** The value cannot be used, which has a consequence for the whole Ingress. */
export function refused(
  { ingress: object }: Context,
  key: string,
  reason: Why,
  done: Exclude<Consequence, "default"> = "deny",
): Resolved<never> {
  return { refuse: done, problem: { object, kind: "annotation-unreadable", key, ...reason, done } };
}

/** An entry of the ConfigMap that the annotation names is left out. */
export function leftOut({ ingress: object }: Context, key: string, why: string): Problem {
  return { object, kind: "value-unusable", field: `annotation ${key}`, why, done: "it is left out" };
}

/** The operator permits less than the annotation asks for. */
export function limited({ ingress: object }: Context, key: string, why: string): Problem {
  return { object, kind: "annotation-doubtful", limited: true, key, why };
}

export const snippetsOff = "the operator does not allow snippets (allow-snippet-annotations)";
