/** The mirrors of filters as data, for nginx/lua/sluice/gateway/mirror.lua. */
import type { CopyWay, Filters, Mirror } from "../../model/filters.ts";
import type { Fields } from "../../model/records.ts";
import type { RouteTraits } from "../../model/route-traits.ts";

export const mirrorsIn = ({ mirrors = [] }: Filters): readonly Mirror[] => mirrors;

const copied = (...all: readonly Filters[]) => all.flatMap(mirrorsIn).filter(({ share }) => share > 0);

export function steering(rule: Filters, backend: Filters): Fields<"steering"> {
  const mirrors = copied(rule, backend);
  return mirrors.length > 0 ? { [isLate(mirrors) ? "late" : "mirrors"]: mirrorRecords(mirrors) } : {};
}

export function traits(rule: Filters, backend: Filters): RouteTraits {
  const mirrors = copied(rule, backend);
  const ways = waysOf(mirrors);
  return {
    ...(mirrors.length > 0 ? { copies: true } : {}),
    ...(isLate(mirrors) ? { copiesLate: true } : {}),
    ...(ways.length > 0 ? { ways } : {}),
  };
}

/** Returns the number of copies of one request. */
export const copiesBy = (filters: Filters = {}): number => mirrorsIn(filters).length;

/** Whether they are those of a rule for calls; all mirrors of a rule are equal in that. */
const isLate = (mirrors: readonly Mirror[]): boolean => mirrors[0]?.isLate === true;

/** Returns the ways, in an order that depends on the ways alone. */
function waysOf(mirrors: readonly Mirror[]): readonly CopyWay[] {
  const ways = new Map(mirrors.flatMap(({ way }) => (way === undefined ? [] : [[keyOf(way), way]])));
  return [...ways].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, way]) => way);
}

const keyOf = ({ isHttp2, isSecure, tls }: CopyWay): string => `${isHttp2} ${isSecure} ${tls?.id}`;

/**
 * Returns the mirrors as data. The number is the index of the mirror's way among those of the text,
 * from 1 on.
 */
function mirrorRecords(mirrors: readonly Mirror[]): readonly (readonly [string, number, number?])[] {
  const places = waysOf(mirrors).map(keyOf);
  return mirrors.map(({ upstream, share, way }) =>
    way === undefined ? [upstream, share] : [upstream, share, places.indexOf(keyOf(way)) + 1],
  );
}
