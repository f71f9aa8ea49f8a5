/**
 * Lists the settings of a route that differ from the defaults, with the annotation or key from
 * which they come. Values are shown as the author wrote them, except parts that may be secret:
 * snippets, and users and queries in URLs.
 */

import { visible } from "../../../base/visible.ts";
import { type KubernetesObject, keyOf } from "../../../core/model/objects.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import { fieldsByKey } from "../../../core/policies/registry.ts";
import { settingList } from "../../../core/settings/registry.ts";
import type { GivenSetting } from "../api/routes.ts";
import { shown } from "../shown.ts";
import type { PageNames } from "../source.ts";

const longestValue = 500;

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
    const field = name.startsWith(prefix) ? fieldsByKey.get(name.slice(prefix.length))?.declared : undefined;
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
