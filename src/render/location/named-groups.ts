/**
 * Named groups of a path that a permitted snippet uses. The location sets them, so that nginx makes
 * no variable of the pattern's names. A group with the name of a variable of nginx or Sluice is
 * left out, because nginx would refuse the text.
 */
import { holds, ownTextOf } from "../../annotations/hooks.ts";
import type { FeatureValues } from "../../annotations/registry.ts";
import { groupsOf } from "../../directives/pattern-groups.ts";
import { isKnownVariable } from "../../kinds/variables.ts";
import type { Location } from "../../model/configuration.ts";

export type NamedGroup = readonly [name: string, number: number];

export const noGroups: readonly NamedGroup[] = [];

export function namedGroups({
  path,
  features,
}: Pick<Location<FeatureValues>, "path" | "features">): readonly NamedGroup[] {
  if (!holds("hasGroups", features, "location")) return noGroups;
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
