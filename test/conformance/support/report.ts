/**
 * Makes the report of the suite without parts that differ from run to run, so that the stored one
 * can be compared.
 */
import { parse, stringify } from "yaml";

interface Report {
  readonly profiles?: readonly { readonly name: string }[];
}

/** Returns the report in the format that the Gateway API publishes. The publisher adds the date. */
export function reported(text: string): string {
  const { date, ...report } = parse(text) as Report & { readonly date?: string };
  const profiles = [...(report.profiles ?? [])].sort((one, other) => one.name.localeCompare(other.name));
  return stringify({ ...report, profiles }, { lineWidth: 0 });
}
