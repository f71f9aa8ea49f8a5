/** Reads the rules of a route as paths, with their mistakes. */

import type { HTTPRoute } from "../../../model/gateway/objects.ts";
import type { Problem } from "../../../model/problem.ts";
import type { RuleFields } from "../../../policies/declare.ts";
import type { ClaimedPath } from "../../../table/claim.ts";
import type { Fault } from "../conditions.ts";
import { type MatchesRead, matchesOf } from "./matches.ts";
import { type RuleRead, ruleOf } from "./rule.ts";
import type { BackendWorld } from "./targets.ts";

export interface RulesRead {
  /** The paths in the order of the rules. */
  readonly paths: readonly ClaimedPath[];
  /** References that cannot be resolved. */
  readonly unresolved: readonly Fault[];
  /** Mistakes that cause a rule, or a part of it, to be left out. */
  readonly invalid: readonly Fault[];
  /** Whether no rule is left. */
  readonly isVoid: boolean;
  /** Notes about fields that may not be served as intended, although the rule is. */
  readonly notes: readonly Problem[];
}

export function rulesOf(route: HTTPRoute, world: BackendWorld): RulesRead {
  return readRules(route.spec?.rules ?? [{}], matchesOf, world);
}

export function readRules<R extends RuleFields>(
  rules: readonly R[],
  matches: (rule: R) => MatchesRead,
  world: BackendWorld,
): RulesRead {
  const read = rules.map((rule, at) => ruleOf(rule, matches(rule), `spec.rules[${at}]`, world));
  const all = <T>(part: (one: RuleRead) => readonly T[]) => read.flatMap(part);
  return {
    paths: all(({ paths }) => paths),
    unresolved: all(({ unresolved }) => unresolved),
    invalid: all(({ invalid }) => invalid),
    isVoid: read.length > 0 && read.every(({ isDropped }) => isDropped),
    notes: all(({ notes }) => notes),
  };
}
