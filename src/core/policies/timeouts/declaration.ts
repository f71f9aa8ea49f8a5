/**
 * Sets how long nginx waits for the backend of a Location. The timeouts of annotations limit
 * pauses, and those of a rule limit a whole request and each of its tries.
 */

import { durationMs } from "../../kinds/gateway/duration.ts";
import { seconds } from "../../kinds/numbers.ts";
import { noLimit, type Timeouts } from "../../model/filters.ts";
import type { Settings } from "../../settings/registry.ts";
import { feature, ofSetting, type RuleFieldRead, type RuleFields } from "../declare.ts";

/** Reads the timeouts of a rule. A time of 0s means no limit, also none of the ConfigMap. */
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

export const proxyTimeouts = feature({
  name: "proxy-timeouts",
  scope: "location",
  fields: {
    connect: ofSetting("proxyConnectTimeout", {
      example: "5",
      kind: seconds({ min: 1 }),
      live: "balancer",
    }),
    send: ofSetting("proxySendTimeout", {
      example: "120",
      kind: seconds({ min: 1 }),
      live: "balancer",
    }),
    read: ofSetting("proxyReadTimeout", {
      example: "3600",
      kind: seconds({ min: 1 }),
      live: "balancer",
      doc: "How long a pause between two reads from an Endpoint may last; raise it for websockets and streaming.",
    }),
  },
  variables: ["timeouts"],
  view: (value, place, settings) => {
    const text = ownTimeouts(value, settings);
    if (place.live && place.protocol !== "fastcgi" && text !== "") {
      place.bind("timeouts", text);
      place.timed();
    }
    return false;
  },
  ofRoutes: {
    ofRule: timeoutsOf,
    record: ({ timeouts: { request, backendRequest } = unlimited }) => ({
      ...(request === undefined ? {} : { request: request / 1000 }),
      ...(backendRequest === undefined ? {} : { attempt: backendRequest / 1000 }),
    }),
    traits: ({ timeouts }) =>
      timeouts === undefined
        ? {}
        : { limited: true, drawsByRoute: true, ...(timeouts.backendRequest === noLimit ? { endless: true } : {}) },
    words: ({ timeouts: { request, backendRequest } = unlimited }) => [
      ...(request === undefined ? [] : [`${request} ms for the whole request`]),
      ...(backendRequest === noLimit ? ["none, so the backend may take any time"] : []),
      ...(backendRequest === undefined || backendRequest === noLimit ? [] : [`${backendRequest} ms for each attempt`]),
    ],
    limits: "timeout",
  },
});

const unlimited = { request: undefined, backendRequest: undefined };

type Pauses = Readonly<Record<"connect" | "send" | "read", number>>;

/**
 * Returns the seconds to connect, send and read for the balancer, like `5 - 60`. A dash stands
 * where nginx.conf has the same value, so that a snippet may change it. Returns an empty text if
 * all three are dashes.
 */
export function ownTimeouts({ connect, send, read }: Pauses, settings: Settings): string {
  const own = (value: number, inherited: number) => (value === inherited ? "-" : String(value));
  const parts = [
    own(connect, settings.proxyConnectTimeout),
    own(send, settings.proxySendTimeout),
    own(read, settings.proxyReadTimeout),
  ];
  return parts.every((part) => part === "-") ? "" : parts.join(" ");
}
