/**
 * Durations of the Gateway API: up to four numbers of five digits, each with a unit: `1h30m`,
 * `500ms`.
 */

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Returns milliseconds; undefined if the text is not a duration. */
export function durationMs(text: string): number | undefined {
  if (!/^([0-9]{1,5}(h|m|s|ms)){1,4}$/.test(text)) return undefined;
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/(\d+)(h|ms|m|s)/g)) sum += Number(number) * units[unit!]!;
  return sum;
}
