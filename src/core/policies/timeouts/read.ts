/** Reads the timeouts of a rule. A time of 0s means no limit, also none of the ConfigMap. */
import { durationMs } from "../../kinds/gateway/duration.ts";
import { noLimit, type Timeouts } from "../../model/filters.ts";
import type { RuleFieldRead, RuleFields } from "../declare.ts";

export function timeoutsOf({ timeouts }: RuleFields): RuleFieldRead | undefined {
  if (timeouts?.request === undefined && timeouts?.backendRequest === undefined) return undefined;
  const values: Record<"request" | "backendRequest", number | undefined> = {
    request: undefined,
    backendRequest: undefined,
  };
  for (const name of ["request", "backendRequest"] as const) {
    const text = timeouts[name];
    if (text === undefined) continue;
    const value = durationMs(text);
    if (value === undefined) {
      const why = `${JSON.stringify(text)} is not a duration like 500ms, 10s or 1h30m`;
      return { ok: false, part: `.timeouts.${name}`, why };
    }
    values[name] = value === 0 ? undefined : value;
  }
  const isSet = values.request !== undefined || values.backendRequest !== undefined;
  const read: Timeouts = isSet ? values : { request: undefined, backendRequest: noLimit };
  return { ok: true, filtersAt: () => ({ timeouts: read }), notes: [] };
}
