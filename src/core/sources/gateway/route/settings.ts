/**
 * Finds the RouteSettings that a rule names by the filter ExtensionRef. If one of them is
 * missing, its requests get an error.
 */

import type { HTTPRouteFilter } from "../../../model/gateway/objects.ts";
import { missing } from "../../../model/missing.ts";
import type { Fault } from "../conditions.ts";
import { type BackendWorld, refusalOf } from "./targets.ts";

/** `named` has `namespace/name` of each, in their order. */
export type SettingsNamed = { readonly named: readonly string[] } | { readonly fault: Fault };

/**
 * Finds the RouteSettings that a list of filters names. `filters` have no mistakes in their values,
 * and `field` is their field.
 */
export function settingsNamed(filters: readonly HTTPRouteFilter[], field: string, world: BackendWorld): SettingsNamed {
  const named: string[] = [];
  for (const [at, { extensionRef }] of filters.entries()) {
    if (extensionRef === undefined) continue;
    const key = `${world.object.namespace}/${extensionRef.name}`;
    if (!world.hasSettings(key)) {
      const done = `the requests of the rule get ${refusalOf(world)}`;
      const where = `${field}[${at}].extensionRef`;
      const problem = { object: world.object, field: where, ...missing("RouteSettings", key), done } as const;
      return { fault: { reason: "InvalidFilter", problem } };
    }
    named.push(key);
  }
  return { named };
}

/** Returns the RouteSettings that the filters of a whole route name, whether or not they exist. */
export function settingsIn(
  rules: readonly { readonly filters?: readonly HTTPRouteFilter[] }[],
  namespace: string,
): readonly string[] {
  const filters = rules.flatMap((rule) => rule.filters ?? []);
  return filters.flatMap(({ extensionRef }) => (extensionRef === undefined ? [] : `${namespace}/${extensionRef.name}`));
}
