/** Describes the conditions of requests beside their path, for people. */
import type { Conditions, ValueCondition } from "./configuration.ts";
import { shownValue } from "./credentials.ts";

/**
 * Returns, for example, `POST, header x-team: a, query page=1` or `gRPC, method Get`, or an empty
 * text if the path alone decides. `~` precedes a pattern.
 */
export function conditionWords(conditions: Conditions | undefined): string {
  if (conditions === undefined) return "";
  const { method, headers, query, call } = conditions;
  const sign = ({ type }: ValueCondition, equal: string) => (type === "regex" ? " ~ " : equal);
  return [
    ...(call === undefined ? (method === undefined ? [] : [method]) : ["gRPC"]),
    ...(call ?? []).map((one) => `${one.name}${sign(one, " ")}${one.value}`),
    ...headers.map((one) => `header ${one.name}${sign(one, ": ")}${shownValue(one.name, one.value)}`),
    ...query.map((one) => `query ${one.name}${sign(one, "=")}${shownValue(one.name, one.value)}`),
  ].join(", ");
}
