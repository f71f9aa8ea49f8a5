/**
 * Named groups of a path that a permitted snippet uses. The location sets them, so that nginx makes
 * no variable of the pattern's names. A group with the name of a variable of nginx or Sluice is
 * left out, because nginx would refuse the text.
 */

import { isKnownVariable } from "../../kinds/variables.ts";
import type { Location } from "../../model/configuration.ts";
import { ownTextOf } from "../../policies/hooks.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { hasGroups } from "../../policies/rewrite/declaration.ts";
import { groupsOf } from "../../tokens/pattern-groups.ts";

export type NamedGroup = readonly [name: string, number: number];

export const noGroups: readonly NamedGroup[] = [];

export function namedGroups({
  path,
  features,
}: Pick<Location<FeatureValues>, "path" | "features">): readonly NamedGroup[] {
  if (!hasGroups(features)) return noGroups;
  const text = ownTextOf(features, "location");
  if (text === "") return noGroups;
  return [...groupsOf(path).numbers].filter(
    ([name, number]) =>
      number <= 9 &&
      /^[a-z_]\w*$/i.test(name) &&
      !isKnownVariable(name, "http") &&
      new RegExp(`\\b${name}\\b`).test(text),
  );
}
