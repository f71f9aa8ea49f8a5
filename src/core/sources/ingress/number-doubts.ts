/**
 * Warns about numbers that are accepted and mean something else than they seem to: ingress-nginx
 * reads most numbers without a bound, and Sluice serves the same.
 */

/** A range of numbers, and what they do. */
interface Range {
  readonly keys: readonly string[];
  readonly to: number;
  readonly why: string;
  /** The annotation without which the number has no effect, which another Problem says. */
  readonly beside?: string;
}

const dropped = "browsers drop the cookie at once, so no client stays at its endpoint; remove it";
const ranges: readonly Range[] = [
  { keys: ["limit-rps", "limit-rpm", "limit-connections"], to: -1, why: "it is below 0 and limits nothing" },
  { keys: ["auth-keepalive"], to: -1, why: "it is below 0 and keeps no connection", beside: "auth-url" },
  {
    ...{ keys: ["auth-keepalive-requests", "auth-keepalive-timeout"], beside: "auth-keepalive" },
    ...{ to: 0, why: "it is below 1, so auth-keepalive keeps no connection" },
  },
  {
    ...{ keys: ["upstream-hash-by-subset-size"], to: -1, why: "it is below 0, and 3 counts in its place" },
    beside: "upstream-hash-by-subset",
  },
  { keys: ["session-cookie-max-age", "session-cookie-expires"], to: 0, why: dropped, beside: "affinity" },
  { keys: ["canary-weight"], to: -1, why: "it is below 0, so the canary gets no share", beside: "canary" },
  {
    ...{ keys: ["canary-weight-total"], to: 99, beside: "canary-weight" },
    why: "it is below 100, and 100 counts in its place; write canary-weight as a share of 100",
  },
];

const byKey: ReadonlyMap<string, Range> = new Map(ranges.flatMap((one) => one.keys.map((key) => [key, one] as const)));

/** Returns a warning for each such number. `prefix` is that of the annotations, without a slash. */
export function numberDoubts(annotations: Readonly<Record<string, string>>, prefix: string) {
  return Object.entries(annotations).flatMap(([name, text]) => {
    const key = name.slice(prefix.length + 1);
    const range = byKey.get(key);
    if (range === undefined || name !== `${prefix}/${key}` || !/^ *-?\d{1,15} *$/.test(text)) return [];
    const { to, why, beside } = range;
    const isAlone = beside !== undefined && (annotations[`${prefix}/${beside}`] ?? "") === "";
    return isAlone || Number(text) > to ? [] : [{ key, why }];
  });
}
