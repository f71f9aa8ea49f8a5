import { isMapping } from "../../../core/model/mapping.ts";

/** Returns the text that helm makes of a value, in the form of Go. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isMapping(value)) return value === null ? "<nil>" : String(value);
  const entries = Object.entries(value).map(([key, inner]) => `${key}:${goText(inner)}`);
  return `map[${entries.sort().join(" ")}]`;
}
