/**
 * Finds conditions that no request fulfils, because nginx refuses the method or drops the header
 * before any route is looked for.
 */
import { shown } from "../../../kinds/kind.ts";
import type { ObjectName, Problem } from "../../../model/problem.ts";
import type { Settings } from "../../../settings/registry.ts";
import type { ReadMatch } from "./matches.ts";

/** The keys of the ConfigMap that decide which headers nginx drops. */
export type HeaderSettings = Pick<Settings, "ignoreInvalidHeaders" | "enableUnderscoresInHeaders">;

/** nginx answers requests with these methods by itself. */
const refusedMethods = ["CONNECT", "TRACE"];

/**
 * Returns the key and value of the ConfigMap that would let the header through; undefined if
 * nginx keeps it.
 */
function keyFor(
  name: string,
  { ignoreInvalidHeaders, enableUnderscoresInHeaders }: HeaderSettings,
): string | undefined {
  if (!ignoreInvalidHeaders || /^[a-z0-9-]*$/i.test(name)) return undefined;
  if (!/^[\w-]*$/.test(name)) return 'ignore-invalid-headers: "false"';
  return enableUnderscoresInHeaders ? undefined : 'enable-underscores-in-headers: "true"';
}

/**
 * Returns one Problem for each condition of the matches that cannot hold. `field` is that of the
 * rule.
 */
export function neverFulfilled(
  matches: readonly ReadMatch[],
  field: string,
  { object, headerSettings }: { readonly object: ObjectName; readonly headerSettings: HeaderSettings },
): readonly Problem[] {
  return matches.flatMap(({ part, match: { conditions } }): Problem[] => {
    const { method = "", headers = [] } = conditions ?? {};
    const done = "no request is sent by this match";
    const problem = (where: string, why: string): Problem => {
      return { object, kind: "value-unsupported", field: `${field}${part}.${where}`, why, done };
    };
    const refused = `nginx answers every request with the method ${method} by itself, with 405`;
    return [
      ...(refusedMethods.includes(method) ? [problem("method", refused)] : []),
      ...headers.flatMap(({ name }) => {
        const key = keyFor(name, headerSettings);
        if (key === undefined) return [];
        return [problem("headers", `nginx drops the header ${shown(name)} unless the ConfigMap has ${key}`)];
      }),
    ];
  });
}
