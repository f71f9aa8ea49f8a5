/** Replaces environment variables in a container's arguments, such as `$(POD_NAMESPACE)`. */

import { unfilled } from "../core/kinds/kind.ts";
import { isMapping } from "../core/model/mapping.ts";
import { own } from "../core/model/own.ts";

export type Variables = Readonly<Record<string, string>>;

/** Returns the variables that both charts set, and those in `env` that have a literal value. */
export function variablesOf(pod: { readonly namespace: string; readonly name: string }, env: unknown): Variables {
  const literal = (Array.isArray(env) ? env : []).filter(
    (one) => isMapping(one) && typeof one.name === "string" && typeof one.value === "string",
  );
  return {
    POD_NAMESPACE: pod.namespace,
    POD_NAME: pod.name,
    ...Object.fromEntries(literal.map(({ name, value }) => [name, value])),
  };
}

/** Replaces the variables in `text`. An unknown one stays as it is written. */
export const withVariables = (text: string, variables: Variables): string =>
  text.replace(/\$\(([\w.-]+)\)/g, (whole, name) => own(variables, name) ?? whole);

/** Returns the first variable that is left in `text`. */
export const variableIn = (text: string): string | undefined => /\$\(([\w.-]+)\)/.exec(text)?.[1];

/**
 * Returns what a tool should have filled in. Nothing else than a tool reads `${name}` in a value
 * that takes no variables of nginx.
 */
export function placeholderIn(text: string): string | undefined {
  const [reference] = /\$\{[^{}]+\}/.exec(text) ?? [];
  return unfilled(text) ?? (reference && `a tool should have filled in ${reference} before, such as Terraform`);
}
