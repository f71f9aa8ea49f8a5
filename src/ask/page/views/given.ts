/**
 * Lists the settings of a route that differ from the defaults, with the annotation or key from
 * which they come. Values are shown as the author wrote them, except parts that may be secret:
 * snippets, and users and queries in URLs.
 */

import { visible } from "../../../base/visible.ts";
import { type KubernetesObject, keyOf } from "../../../core/model/objects.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import type { Field } from "../../../core/policies/declare.ts";
import { featureList } from "../../../core/policies/registry.ts";
import { settingList } from "../../../core/settings/registry.ts";
import type { GivenSetting } from "../api/routes.ts";
import { shown } from "../shown.ts";
import type { PageNames } from "../source.ts";

const longestValue = 500;

/** Annotations, by key and by each older spelling. */
const fields: ReadonlyMap<string, Field<unknown>> = new Map(
  featureList.flatMap(([, feature]) =>
    (Object.values(feature.fields) as Field<unknown>[]).flatMap((field) =>
      [field.key, ...(field.aliases ?? [])].map((key) => [key, field] as const),
    ),
  ),
);

/** Keys that hold a secret itself. */
const secretKeys = ["ssl-session-ticket-key"];

/** Labels of the Kinds whose texts are configuration of other programs, which may hold secrets. */
const ownTexts = ["nginx directives", "ModSecurity rules"];

/** Returns the settings. `owner` is absent if no object owns the route. */
export function givenSettings(
  owner: KubernetesObject | undefined,
  { configMaps }: Snapshot,
  names: PageNames,
): readonly GivenSetting[] {
  const configMap = names.configMap === undefined ? undefined : configMaps.get(names.configMap);
  return [...(owner === undefined ? [] : annotationsOf(owner, names)), ...keysOf(configMap?.data ?? {}, names)];
}

function annotationsOf(owner: KubernetesObject, names: PageNames): GivenSetting[] {
  const prefix = `${names.annotationsPrefix}/`;
  const from = visible(`annotation of ${owner.kind} ${keyOf(owner)}`);
  return Object.entries(owner.metadata.annotations ?? {}).flatMap(([name, value]) => {
    const field = name.startsWith(prefix) ? fields.get(name.slice(prefix.length)) : undefined;
    if (field === undefined || value === "") return [];
    const isOpen = !ownTexts.includes(field.kind.label) || names.showsSnippets;
    return [{ key: name.slice(prefix.length), value: isOpen ? shown(value, longestValue) : null, from }];
  });
}

function keysOf(data: Readonly<Record<string, string>>, names: PageNames): GivenSetting[] {
  const from = visible(`key of ConfigMap ${names.configMap}`);
  return settingList.flatMap(([, setting]) => {
    const value = data[setting.key];
    if (value === undefined || setting.noEffect !== undefined) return [];
    const isOpen = !secretKeys.includes(setting.key) && (!ownTexts.includes(setting.kind.label) || names.showsSnippets);
    return [{ key: setting.key, value: isOpen ? shown(value, longestValue) : null, from }];
  });
}
