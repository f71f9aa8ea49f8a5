/**
 * `from-to-www-redirect` of a listener: the www twin of each of its hosts redirects to the host. A
 * twin has to be a name that the listener takes by its hostname, so no listener gets new names.
 */

import type { Redirect } from "../../../model/filters.ts";
import type { Problem } from "../../../model/problem.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import type { ClaimedPath } from "../../../table/claim.ts";
import { twinOf } from "../../../table/hosts/names.ts";
import { covers } from "../hostnames.ts";
import type { ListenerReading } from "../reading.ts";
import type { Effective } from "./effective.ts";

const key = "from-to-www-redirect";

export interface Twins {
  /** Pairs of a twin and its host. */
  readonly pairs: readonly (readonly [twin: string, host: string])[];
  readonly problems: readonly Problem[];
}

export const noTwins: Twins = { pairs: [], problems: [] };

/**
 * Returns the twins of a route's hosts. The first argument has the values of the listener, and
 * `isCommon` says whether Ingresses use its port.
 */
export function twinsOn(
  { features, layers }: Effective,
  { hostname, listener }: ListenerReading,
  hosts: readonly string[],
  isCommon: boolean,
): Twins {
  if (!features.redirects.twin) return noTwins;
  const object = layers.find(({ texts }) => texts.has(key))?.object ?? layers[0]!.object;
  const field = `spec.${key}`;
  const without = (why: string): Twins => {
    const what = `has no effect on listener ${listener.name}: ${why}`;
    return { pairs: [], problems: [{ object, kind: "value-useless", field, why: what, done: "it is ignored there" }] };
  };
  if (isCommon) return without("its port has the hosts of Ingresses");
  const own = twinOf(hostname);
  if (hostname !== "" && own !== undefined) return without(`no request for ${own} comes to it`);
  const pairs = hosts.flatMap((host) => {
    const twin = twinOf(host);
    return twin !== undefined && covers(hostname, twin) ? [[twin, host] as const] : [];
  });
  return { pairs, problems: [] };
}

/** Returns the path that redirects all requests for a twin; `path` is one of the route. */
export function redirectTo(
  hostname: string,
  { backends }: ClaimedPath,
  features: FeatureValues,
  status: number,
): ClaimedPath {
  return {
    field: `${key} of the listener`,
    match: { text: "/", type: "prefix", loose: false },
    // They get no requests, but every Location has backends.
    backends,
    features,
    filters: {
      redirect: { scheme: undefined, hostname, path: undefined, port: undefined, status: status as Redirect["status"] },
    },
    isTwin: true,
  };
}
