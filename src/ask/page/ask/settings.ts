/**
 * Lists the settings of a route that differ from the defaults, with the annotation or the key of
 * the ConfigMap that they come from. Snippets are left out, and so are user, password and query of
 * a URL.
 */

import { readValue, written } from "../../../core/kinds/kind.ts";
import type { Owner } from "../../../core/model/configuration.ts";
import type { Field, Fields } from "../../../core/policies/declare.ts";
import { featureList } from "../../../core/policies/registry.ts";
import { routeSettings } from "../../../core/settings/for-routes.ts";
import { type Settings, settingList } from "../../../core/settings/registry.ts";
import type { AskedSetting } from "../api/ask.ts";
import { shown } from "../shown.ts";
import type { AskedWorld } from "./world.ts";

const fields = featureList.flatMap(([, { fields }]) => Object.values(fields as Fields)) as readonly Field<unknown>[];
const declarations = new Map(settingList);

export function settingsOf(owner: Owner | undefined, world: AskedWorld): readonly AskedSetting[] {
  if (owner === undefined) return [];
  const isIngress = owner.kind === "Ingress";
  const key = `${owner.namespace}/${owner.name}`;
  const annotations = isIngress ? world.snapshot.ingresses.get(key)?.metadata.annotations : undefined;
  const settings = isIngress ? world.served.settings : routeSettings(world.served.settings);
  const found = fields.flatMap(
    (field) => ofAnnotation(field, annotations, world, settings) ?? ofConfigMap(field, settings, world),
  );
  return [...new Map(found.map((one) => [`${one.from} ${one.name}`, one])).values()];
}

/**
 * Returns undefined if no annotation decides, and an empty list if its value is the default.
 */
function ofAnnotation(
  { key, aliases = [], kind, fallback, risk }: Field<unknown>,
  annotations: Readonly<Record<string, string>> | undefined,
  { options }: AskedWorld,
  settings: Settings,
): readonly AskedSetting[] | undefined {
  for (const name of [key, ...aliases]) {
    const text = annotations?.[`${options.annotationsPrefix}/${name}`];
    if (text === undefined || text === "") continue;
    const read = readValue(kind, text);
    if (!read.ok) return undefined;
    if (isSame(read.value, fallback(settings))) return [];
    return [{ name, value: textOf(text, risk === "Critical"), from: `annotation ${name}` }];
  }
  return undefined;
}

/** Returns the keys from which the field's value comes, if these do not have their defaults. */
function ofConfigMap(
  { key, fallback }: Field<unknown>,
  settings: Settings,
  world: AskedWorld,
): readonly AskedSetting[] {
  const read = new Set<keyof Settings>();
  const watched = new Proxy(settings, {
    get(target, name) {
      if (typeof name === "string") read.add(name as keyof Settings);
      return Reflect.get(target, name);
    },
  });
  fallback(watched);
  return [...read].flatMap((name) => {
    const declared = declarations.get(name);
    const value = world.served.settings[name];
    if (declared === undefined || isSame(value, declared.default)) return [];
    const text = textOf(written(declared.kind, value), declared.key.includes("snippet"));
    return [{ name: key, value: text, from: `ConfigMap key ${declared.key}` }];
  });
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const longest = 200;

const textOf = (text: string, isAuthors: boolean): string => (isAuthors ? "\u2026" : shown(text, longest));
