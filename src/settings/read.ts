/**
 * The data of the controller's ConfigMap, read by the declarations. Keys match without regard to letter case. A value
 * that cannot be read leaves the key's previous value in force, so a typo in a live cluster changes nothing.
 */
import { nearest } from "../kinds/nearest.ts";
import type { ObjectName, Problem } from "../problem.ts";
import type { Setting } from "./declare.ts";
import { settings as declarations, type Settings } from "./registry.ts";

// biome-ignore lint/suspicious/noExplicitAny: settings of different types
const declared = Object.entries(declarations) as [keyof Settings, Setting<any>][];
const settingOfKey = new Map(declared.map((entry) => [entry[1].key, entry]));

export interface SettingsRead {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
  /** Texts that stand in for unreadable ones, by key: to be handed in again, and kept over a restart. */
  readonly kept: Readonly<Record<string, string>>;
}

/** `object` names the ConfigMap in the Problems; `previous` are the texts that were in force, by key. */
export function readSettings(
  data: Readonly<Record<string, string>>,
  object: ObjectName,
  previous: Readonly<Record<string, string>>,
): SettingsRead {
  const problems: Problem[] = [];
  const kept: Record<string, string> = {};
  const values: Record<string, unknown> = Object.fromEntries(declared.map(([name, one]) => [name, one.default]));
  for (const [spelled, text] of Object.entries(data)) {
    const key = spelled.toLowerCase();
    const found = settingOfKey.get(key);
    if (found === undefined) {
      const meant = nearest(key, settingOfKey.keys());
      problems.push({
        object,
        kind: "setting-unknown",
        key: spelled,
        ...(meant === undefined ? {} : { nearest: meant }),
      });
      continue;
    }
    const [name, one] = found;
    const read = one.kind.read(text);
    if (read.ok) values[name] = read.value;
    else {
      const last = previous[key];
      const good = last === undefined ? undefined : one.kind.read(last);
      if (good?.ok === true) {
        values[name] = good.value;
        kept[key] = last!;
      }
      const used = good?.ok === true ? "the last good value" : "the default";
      problems.push({ object, kind: "setting-unreadable", key, why: read.why, kept: used });
    }
    if (one.noEffect !== undefined) problems.push({ object, kind: "setting-useless", key, why: one.noEffect });
  }
  return { settings: values as unknown as Settings, problems, kept };
}
