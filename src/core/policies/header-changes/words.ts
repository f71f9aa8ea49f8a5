/** Changes of headers in words. */
import { shownValue } from "../../model/credentials.ts";
import type { Filters, HeaderChanges } from "../../model/filters.ts";

export const words = ({ requestHeaders, responseHeaders }: Filters): string[] => [
  ...wordsOf("requests", requestHeaders),
  ...wordsOf("answers", responseHeaders),
];

function wordsOf(of: string, changes: HeaderChanges | undefined): string[] {
  if (changes === undefined) return [];
  const all = [
    ...changes.set.map(({ name, value }) => `set ${name}: ${shownValue(name, value)}`),
    ...changes.add.map(({ name, value }) => `add ${name}: ${shownValue(name, value)}`),
    ...changes.remove.map((name) => `remove ${name}`),
  ];
  return all.length === 0 ? [] : [`headers of ${of}: ${all.join(", ")}`];
}
