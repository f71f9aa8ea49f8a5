/** All ConfigMap keys, group by group. */
import type { SettingValues } from "./declare.ts";
import { redirects } from "./redirects.ts";
import { timeouts } from "./timeouts.ts";

export const settings = {
  ...timeouts,
  ...redirects,
};

/** The operator's settings, typed; every key has a value. */
export type Settings = SettingValues<typeof settings>;

export const defaultSettings = Object.fromEntries(
  Object.entries(settings).map(([name, declared]) => [name, declared.default]),
) as unknown as Settings;
