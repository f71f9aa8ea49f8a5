/**
 * Names of headers and query parameters whose values are secrets, so that no answer and no page
 * prints them.
 */

const exact: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie"]);
const parts = /token|secret|passw|credential|session|signature|api[-_]?key|(^|[-_])(key|auth|jwt|sid)($|[-_])/i;

/** Whether the value is a secret. The case of letters does not matter. */
export const isCredential = (name: string): boolean => exact.has(name.toLowerCase()) || parts.test(name);

/** Returns the value, or an ellipsis in place of a secret. */
export const shownValue = (name: string, value: string): string => (isCredential(name) ? "\u2026" : value);
