/** Finds annotations and keys that switch on a module which the nginx of Sluice's image lacks. */

import { type Kind, readValue } from "../../core/kinds/kind.ts";
import { nameOf } from "../../core/model/objects.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { Fields } from "../../core/policies/declare.ts";
import { featureList } from "../../core/policies/registry.ts";
import { type Settings, settingList } from "../../core/settings/registry.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { type Capability, capabilityNames, lackingOf } from "../../core/tokens/capabilities.ts";
import { imageCapabilities } from "../image-machine.ts";

const lacking = lackingOf(imageCapabilities);

interface NeedsModule {
  readonly needs?: Capability | undefined;
  readonly kind: Kind<unknown>;
  readonly fallback: (settings: Settings) => unknown;
}

/** Annotations and keys by their names. */
const annotations = new Map<string, NeedsModule>(
  featureList.flatMap(([, { needs, fields }]) =>
    Object.values(fields as Fields).flatMap((field) =>
      [field.key, ...(field.aliases ?? [])].map((name) => [name, { ...field, needs }] as const),
    ),
  ),
);
const keys = new Map<string, NeedsModule>(
  settingList.map(([, setting]) => [setting.key, { ...setting, fallback: () => setting.default }]),
);

/**
 * Returns why the annotation or key has no effect with the image's nginx, and what to do. Only a
 * switch has a reason: beside it, the details of the module need no line of their own.
 */
export function lackingModule(of: "annotation" | "key", name: string, text: string, settings: Settings) {
  const one = (of === "annotation" ? annotations : keys).get(name);
  if (one?.needs === undefined || !lacking.has(one.needs)) return undefined;
  const read = readValue(one.kind, text);
  if (!read.ok || read.value !== true || one.fallback(settings) === true) return undefined;
  return `the image's nginx has no ${capabilityNames[one.needs]}, so switch it off or bring one in an image of your own`;
}

/** Returns a Problem for each of them in the ConfigMap and in Ingresses. */
export function withoutModule(
  { ingresses, configMaps }: Snapshot,
  settings: Settings,
  { annotationsPrefix, configMap = "" }: Pick<TranslateOptions, "annotationsPrefix" | "configMap">,
): Problem[] {
  const object = { kind: "ConfigMap", ...nameOf(configMap) };
  const ofKeys = Object.entries(configMaps.get(configMap)?.data ?? {}).flatMap(([key, text]): Problem[] => {
    const why = lackingModule("key", key, text, settings);
    return why === undefined ? [] : [{ object, kind: "setting-useless", key, why }];
  });
  const ofIngresses = [...ingresses.values()].flatMap(({ metadata }) =>
    Object.entries(metadata.annotations ?? {}).flatMap(([name, text]): Problem[] => {
      if (!name.startsWith(`${annotationsPrefix}/`)) return [];
      const key = name.slice(annotationsPrefix.length + 1);
      const why = lackingModule("annotation", key, text, settings);
      const ingress = { kind: "Ingress", namespace: metadata.namespace ?? "default", name: metadata.name };
      return why === undefined ? [] : [{ object: ingress, kind: "annotation-useless", key, why }];
    }),
  );
  return [...ofKeys, ...ofIngresses];
}
