/**
 * Makes the Settings for routes of the Gateway API, without those that would change their answers.
 */
import { type Settings, settingList } from "./registry.ts";

/** Keys that do not hold for routes, always or while they have their default. */
export const notForRoutes = settingList.filter(([, { forRoutes }]) => forRoutes !== undefined);

const known = new WeakMap<Settings, Settings>();

/** Returns the same object for the same Settings, because readings are cached by it. */
export function routeSettings(settings: Settings): Settings {
  const before = known.get(settings);
  if (before !== undefined) return before;
  const values: Readonly<Record<string, unknown>> = { ...settings };
  const changes = notForRoutes.flatMap(([name, { default: usual, forRoutes }]) => {
    const isKept = forRoutes?.unlessSet === true && JSON.stringify(values[name]) !== JSON.stringify(usual);
    return isKept ? [] : [[name, forRoutes?.instead] as const];
  });
  // ModSecurity reads a whole body, and its rest is on the disk.
  const inspected = settings.enableModsecurity ? { proxyBodySize: settings.proxyBodySize } : {};
  const own: Settings = { ...settings, ...Object.fromEntries(changes), ...inspected };
  known.set(settings, own);
  return own;
}
