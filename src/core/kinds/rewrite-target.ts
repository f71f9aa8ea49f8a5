/** The target of a rewrite: a path, which may name variables and groups, or a URL elsewhere. */
import { isPathVariable, isRequestVariable } from "./request-variables.ts";

/**
 * Returns the variables that the target may name. A URL may have fewer, because a redirect shows
 * them to another host.
 */
export function targetVariables(target: string): (name: string) => boolean {
  return isElsewhere(target) ? isRequestVariable : isPathVariable;
}

/** Whether the target leads elsewhere: nginx answers such a rewrite with a redirect (RS-6.9). */
export function isElsewhere(target: string): boolean {
  return /^(https?:\/\/|\$scheme)/.test(target);
}
