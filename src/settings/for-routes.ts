/** The Settings as they hold for routes of the Gateway API. */
import { defaultSettings, type Settings } from "./registry.ts";

const known = new WeakMap<Settings, Settings>();

/** The same object for the same Settings, because what is read with them is remembered by that. */
export function routeSettings(settings: Settings): Settings {
  const before = known.get(settings);
  if (before !== undefined) return before;
  const own: Settings = {
    ...settings,
    sslRedirect: false,
    forceSslRedirect: false,
    customHttpErrors: [],
    hsts: false,
    proxyBodySize: settings.proxyBodySize === defaultSettings.proxyBodySize ? "0" : settings.proxyBodySize,
  };
  known.set(settings, own);
  return own;
}
