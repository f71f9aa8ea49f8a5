import type { Filters } from "../model/filters.ts";
import type { HTTPRouteFilter } from "../model/gateway/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import type { Fields } from "../model/records.ts";
import type { RouteTraits } from "../model/route-traits.ts";
import type { OfRoutes, RouteFilter, RuleFieldRead, RuleFields } from "./declare.ts";
import { type FeatureValues, featureList } from "./registry.ts";

const policies = featureList.flatMap(([name, { ofRoutes }]) =>
  ofRoutes === undefined ? [] : [{ name, ...(ofRoutes as OfRoutes<unknown>) }],
);

/** By type. */
export const routeFilters: ReadonlyMap<string, RouteFilter> = new Map(
  policies.flatMap(({ filters = [] }) => filters.map((filter) => [filter.type, filter])),
);

/** Returns Problems of parts that have no effect. `field` is that of the list. */
export function filterNotes(filters: readonly HTTPRouteFilter[], field: string, object: ObjectName): Problem[] {
  return filters.flatMap(
    (filter, at) => routeFilters.get(filter.type)?.notes?.(filter, `${field}[${at}]`, object) ?? [],
  );
}

/** Returns what the annotations do, as filters that do the same. */
export function asFilters(values: FeatureValues): Filters {
  return Object.assign({}, ...policies.map(({ name, asFilters }) => asFilters?.(values[name])));
}

/** Reads the fields of a rule that are policies. `field` is that of the rule. */
export function ruleFields(rule: RuleFields, field: string, object: ObjectName): RuleFieldRead[] {
  return policies.flatMap(({ ofRule }) => ofRule?.(rule, field, object) ?? []);
}

/** Returns what the router itself needs of the changes of a rule. */
export function policyRecord(rule: Filters): Fields<"filters"> {
  return Object.assign({}, ...policies.map(({ record }) => record?.(rule)));
}

/** Returns the changes of a rule and one of its backends as data. */
export function policySteering(rule: Filters, backend: Filters): Fields<"steering"> {
  return Object.assign({}, ...policies.map(({ steering }) => steering?.(rule, backend)));
}

/** Returns what the filters of a rule and one of its backends need of the text. */
export function policyTraits(rule: Filters, backend: Filters): RouteTraits {
  return Object.assign({}, ...policies.map(({ traits }) => traits?.(rule, backend)));
}

/** Returns what the filters do, in words, each behind the word for its kind. */
export function filterWords(filters: Filters): (readonly ["filter" | "timeout" | "retries", string])[] {
  return policies.flatMap(({ words, limits }) =>
    (words?.(filters) ?? []).map((text) => [limits ?? "filter", text] as const),
  );
}

/** Returns the names of the policies that change requests or answers by these filters. */
export function policiesOf(filters: Filters): string[] {
  const changing = policies.filter(({ limits, words }) => limits === undefined && (words?.(filters) ?? []).length > 0);
  return changing.map(({ name }) => name);
}
