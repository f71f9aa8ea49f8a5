/**
 * Lists the differences between the expected answers of a case and the actual ones, for people: one
 * line for each field, with its request. Answers without a line are equal.
 */
import type { Answer } from "./answer.ts";
import type { Expectation } from "./case.ts";

/** `ignore`: names of fields, at any depth, that may differ. */
export function differences(expected: Expectation, got: Expectation, ignore: readonly string[]): readonly string[] {
  const strip = (value: unknown) => without(value, ignore);
  const count = Math.max(expected.requests.length, got.requests.length);
  const requests = Array.from({ length: count }, (_, i) => {
    const [want, have] = [expected.requests[i], got.requests[i]];
    const lines = fieldDifferences("", strip(want), strip(have));
    return lines.length > 0 ? [`${i + 1}. ${nameOf(want ?? have)}`, ...lines.map((line) => `   ${line}`)] : [];
  });
  const refused = fieldDifferences("refused objects", refusals(expected), refusals(got));
  const messages = refused.length > 0 ? (got.rejectedByApiServer ?? []).map((line) => `   ${line}`) : [];
  return [...refused, ...messages, ...requests.flat()];
}

function fieldDifferences(path: string, expected: unknown, got: unknown): readonly string[] {
  if (isRecord(expected) && isRecord(got)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])].sort();
    return names.flatMap((name) => fieldDifferences(path ? `${path}.${name}` : name, expected[name], got[name]));
  }
  const [want, have] = [shown(expected), shown(got)];
  return want === have ? [] : [`${path || "answer"}: expected ${want}, got ${have}`];
}

/** Sorts keys, because their order does not matter; a list is compared as a whole. */
function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function without(value: unknown, ignore: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, ignore));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !ignore.includes(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, without(item, ignore)]));
}

/** Returns the refused objects without the messages, which differ between API servers. */
function refusals({ rejectedByApiServer = [] }: Expectation): readonly string[] {
  return rejectedByApiServer.map((line) => line.split(":")[0]!);
}

function nameOf(answer: Answer | undefined): string {
  return answer?.request ?? "no request";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
