/**
 * Decides whether a setting on which others depend is on: a switch that is true, or a list or text
 * that is not empty.
 */
export function isOn(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null && "kind" in value) return value.kind !== "none";
  return value !== undefined && value !== false && value !== "" && value !== 0 && value !== "off";
}
