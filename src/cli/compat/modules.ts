/** Finds annotations and keys that need a module that the nginx of Sluice's image lacks. */
import type { Fields } from "../../annotations/declare.ts";
import { featureList } from "../../annotations/registry.ts";
import { type Capability, capabilityNames, lackingOf } from "../../directives/capabilities.ts";
import { type Kind, readValue } from "../../kinds/kind.ts";
import type { Settings } from "../../settings/registry.ts";
import { imageCapabilities } from "../tools/image-machine.ts";

const lacking = lackingOf(imageCapabilities);

/** Modules by annotation. */
export const annotationFields = new Map(
  featureList.flatMap(([, { needs, fields }]) =>
    Object.values(fields as Fields).flatMap((field) =>
      [field.key, ...(field.aliases ?? [])].map((name) => [name, { ...field, needs }] as const),
    ),
  ),
);

export interface NeedsModule {
  readonly needs?: Capability | undefined;
  readonly kind: Kind<unknown>;
  readonly fallback: (settings: Settings) => unknown;
}

/** Returns the work to do if the value needs a module that the image lacks. */
export function moduleWork(one: NeedsModule | undefined, text: string, settings: Settings): readonly string[] {
  if (one?.needs === undefined || !lacking.has(one.needs)) return [];
  const read = readValue(one.kind, text);
  const usual = one.fallback(settings) ?? false;
  if (text === "" || (read.ok && JSON.stringify(read.value) === JSON.stringify(usual))) return [];
  const name = capabilityNames[one.needs];
  return [`the image's nginx has no ${name}: switch it off, or add the module in an image of your own`];
}
