import type { Fields } from "./declare.ts";
import { featureList } from "./registry.ts";

const keys = new Set<string>(
  featureList.flatMap(([, { countsInCanaries, fields }]) =>
    countsInCanaries === true
      ? Object.values(fields as Fields).flatMap(({ key, aliases = [] }) => [key, ...aliases])
      : [],
  ),
);

/**
 * Whether an annotation counts in a canary. All others come from the Ingress beside which the
 * canary stands.
 */
export function countsInCanary(key: string): boolean {
  return keys.has(key);
}
