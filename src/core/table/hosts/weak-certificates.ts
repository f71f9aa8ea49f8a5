/**
 * OpenSSL refuses a weak certificate at the usual security level. Sluice serves it nevertheless, so
 * the level is lowered for its host, or for all hosts if it is the default certificate. The
 * level is a word of the cipher list, which nginx cannot read as data, so such a host is text. A
 * level that the operator's list already has stays.
 */

import type { Weakness } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";

/** Returns the features of a host with such a certificate. */
export function featuresFor(
  weakness: Weakness | undefined,
  features: FeatureValues,
  settings: Settings,
): FeatureValues {
  if (weakness === undefined) return features;
  const ciphers = lowered(features.sslCiphers.ciphers ?? settings.sslCiphers, weakness);
  return { ...features, sslCiphers: { ciphers } };
}

const memo = new WeakMap<Settings, Map<Weakness["level"], Settings>>();

/**
 * Returns the Settings for such a default certificate. It is the same object for the same input,
 * because another object would mean another text.
 */
export function settingsFor(weakness: Weakness | undefined, settings: Settings): Settings {
  if (weakness === undefined) return settings;
  const known = memo.get(settings) ?? new Map<Weakness["level"], Settings>();
  memo.set(settings, known);
  const { level } = weakness;
  if (!known.has(level)) known.set(level, { ...settings, sslCiphers: lowered(settings.sslCiphers, weakness) });
  return known.get(level)!;
}

/** Returns the ciphers with a lower level. Without a list they are OpenSSL's own. */
function lowered(ciphers = "DEFAULT", { level }: Weakness): string {
  return ciphers.includes("@SECLEVEL") ? ciphers : `${ciphers}:@SECLEVEL=${level}`;
}
