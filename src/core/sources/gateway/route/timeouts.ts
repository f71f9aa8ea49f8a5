/** Reads the timeouts of a rule. A time of 0s means no limit, also none of the ConfigMap. */
import { durationMs } from "../../../kinds/gateway/duration.ts";
import { noLimit, type Timeouts } from "../../../model/filters.ts";
import type { HTTPRouteRule } from "../../../model/gateway/objects.ts";

export type TimeoutsRead =
  | { readonly ok: true; readonly timeouts: Timeouts | undefined }
  | { readonly ok: false; readonly reason: "UnsupportedValue"; readonly part: string; readonly why: string };

export function timeoutsOf({ timeouts }: Pick<HTTPRouteRule, "timeouts">): TimeoutsRead {
  const values: Record<"request" | "backendRequest", number | undefined> = {
    request: undefined,
    backendRequest: undefined,
  };
  for (const name of ["request", "backendRequest"] as const) {
    const text = timeouts?.[name];
    if (text === undefined) continue;
    const value = durationMs(text);
    if (value === undefined) {
      const why = `${JSON.stringify(text)} is not a duration like 500ms, 10s or 1h30m`;
      return { ok: false, reason: "UnsupportedValue", part: `.timeouts.${name}`, why };
    }
    values[name] = value === 0 ? undefined : value;
  }
  if (timeouts?.request === undefined && timeouts?.backendRequest === undefined)
    return { ok: true, timeouts: undefined };
  const isSet = values.request !== undefined || values.backendRequest !== undefined;
  return { ok: true, timeouts: isSet ? values : { request: undefined, backendRequest: noLimit } };
}
