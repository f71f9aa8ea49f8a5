/**
 * Masks parts of a text that differ from answer to answer: dates, times and ids. After that two
 * answers of one backend are usually equal.
 */

const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*";
const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";

const masks: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b${day},? \\d{1,2}[ -]${month}[ -]\\d{2,4} \\d\\d:\\d\\d:\\d\\d(?: GMT| [+-]\\d{4})?`, "g"), "<date>"],
  [new RegExp(`\\b\\d{1,2}/${month}/\\d{4}:\\d\\d:\\d\\d:\\d\\d [+-]\\d{4}`, "g"), "<date>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g, "<date>"],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, "<id>"],
  [/\b(?=[\da-f]*\d)[\da-f]{16,128}\b/gi, "<id>"],
  // Seconds, milliseconds or microseconds since 1970, in the years 2001 to 2033.
  [/\b1\d{9}(?:\.\d{1,6}|\d{3}|\d{6})?\b/g, "<time>"],
];

export function masked(text: string): string {
  return masks.reduce((left, [pattern, mask]) => left.replace(pattern, mask), text);
}

/** Masks tokens of a login in a URL: long texts with digits and letters of both cases. */
export function withoutTokens(url: string): string {
  return masked(url).replace(/(=)([\w.~%+/-]{20,})/g, (whole, sign: string, text: string) =>
    /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) ? `${sign}<id>` : whole,
  );
}
