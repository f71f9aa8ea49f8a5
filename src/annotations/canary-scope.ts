import type { Fields } from "./declare.ts";
import { featureList } from "./registry.ts";

/** What it says of its host as a whole. */
const ofHost = new Set<string>(
  featureList.flatMap(([, { ofCanaries, fields }]) =>
    ofCanaries === true ? Object.values(fields as Fields).map(({ key }) => key) : [],
  ),
);

/** Whether a canary is heard about this key. What it says of cookies counts where its clients are bound to it by itself. */
export function isHeardOfCanary(key: string): boolean {
  return (
    ofHost.has(key) || /^(canary|affinity|session-cookie-|load-balance$|upstream-hash-by|service-upstream$)/.test(key)
  );
}
