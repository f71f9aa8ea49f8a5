/**
 * OpenSSL refuses a weak certificate at the security level that most systems have. It is served all
 * the same, and so it lowers the level for itself: a host, or all of them where it is the default
 * certificate. The level is a word of the cipher list, whence nginx cannot have it as data and such
 * a host is text. A level that the list has already is the operator's, and stays.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import type { Weakness } from "../../model/configuration.ts";
import type { Settings } from "../../settings/registry.ts";

/** The warning about a host whose certificate has this weakness. */
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
 * The Settings where the default certificate has this weakness: the same object for the same ones,
 * since others are a new text.
 */
export function settingsFor(weakness: Weakness | undefined, settings: Settings): Settings {
  if (weakness === undefined) return settings;
  const known = memo.get(settings) ?? new Map<Weakness["level"], Settings>();
  memo.set(settings, known);
  const { level } = weakness;
  if (!known.has(level)) known.set(level, { ...settings, sslCiphers: lowered(settings.sslCiphers, weakness) });
  return known.get(level)!;
}

/** Without a list it is OpenSSL's own. */
function lowered(ciphers = "DEFAULT", { level }: Weakness): string {
  return ciphers.includes("@SECLEVEL") ? ciphers : `${ciphers}:@SECLEVEL=${level}`;
}
