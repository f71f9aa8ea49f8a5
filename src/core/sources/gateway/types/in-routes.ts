/**
 * Finds the fields of a route that Sluice does not know, and what each closes: the whole route, or
 * the rule that it stands in. In a match such a field is a condition, and the match is left out,
 * because it would take requests that it is not meant for.
 */
import { isBelow, type UnknownField } from "../../../table/unknown-fields.ts";

const rules = "spec.rules";

/** Returns a guard outside of the rules. */
export function closingRoute(unknown: readonly UnknownField[]): UnknownField | undefined {
  return unknown.find(({ field, mayGuard }) => mayGuard && !isBelow(field, rules));
}

/** Returns what closes a rule. `field` is the rule's. */
export function closingRule(unknown: readonly UnknownField[], field: string): UnknownField | undefined {
  if (unknown.length === 0) return undefined;
  const inRule = unknown.find((one) => one.mayGuard && isBelow(one.field, field) && !isInMatch(one));
  return inRule ?? closingRoute(unknown);
}

/** Returns an unknown condition of a match. `field` is the match's. */
export function unknownCondition(unknown: readonly UnknownField[], field: string): UnknownField | undefined {
  return unknown.find((one) => isBelow(one.field, field));
}

const isInMatch = ({ field }: UnknownField): boolean => /^spec\.rules\[\d+\]\.matches\[/.test(field);

/** Returns the fields that close nothing. */
export function ignoredInRoute(unknown: readonly UnknownField[]): readonly UnknownField[] {
  return unknown.filter((one) => !one.mayGuard && !isInMatch(one));
}
