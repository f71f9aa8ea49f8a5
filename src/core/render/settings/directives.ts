/**
 * The directives of the settings, block by block: those that one key declares, in the registry's
 * order, then those that depend on several keys. Directives that this nginx lacks are left out;
 * `problemsOf` reports them.
 */

import type { Context } from "../../settings/declare.ts";
import { letsUnderscoresThrough } from "../../settings/header-spellings.ts";
import { isOn } from "../../settings/on.ts";
import { type Settings, settingList } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import type { Directive } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";
import { composed } from "./composed.ts";

type Declared = (typeof settingList)[number];
const nameOfKey = new Map(settingList.map(([name, { key }]) => [key, name]));

export type Blocks = Readonly<Record<Context, readonly Directive[]>>;

export function directivesOf(settings: Settings, can: Capabilities, machine: Machine): Blocks {
  const more = composed(settings, can, machine);
  // With `underscores_in_headers off` nginx computes a wrong hash for a name with underscores that
  // it does not drop, so no `proxy_set_header` would find the header to remove it.
  const printed = letsUnderscoresThrough(settings)
    ? { ...settings, enableUnderscoresInHeaders: true, ...withSpellings(settings) }
    : settings;
  const block = (context: Context) => [
    ...settingList.flatMap((one) => ownDirectives(context, one, printed, can)),
    ...more[context],
  ];
  return { main: block("main"), events: block("events"), http: block("http"), stream: block("stream") };
}

/** The least sizes of the table of request headers if each has all its spellings. */
const headersHash = { mostBuckets: 2_048, bucketBytes: 256 };

/**
 * Returns sizes with room for all spellings of the headers that are removed, or nginx would warn at
 * each reload.
 */
function withSpellings({ proxyHeadersHashMaxSize: most, proxyHeadersHashBucketSize: bucket }: Settings) {
  return {
    proxyHeadersHashMaxSize: Math.max(most, headersHash.mostBuckets),
    proxyHeadersHashBucketSize: Math.max(bucket, headersHash.bucketBytes),
  };
}

function ownDirectives(
  context: Context,
  [own, { directive, kind, needs, onlyWith }]: Declared,
  settings: Settings,
  can: Capabilities,
): Directive[] {
  const value = settings[own];
  if (directive === undefined || directive.context !== context || value === undefined) return [];
  if (needs !== undefined && !can[needs]) return [];
  if (onlyWith !== undefined && !onlyWith.some((key) => isOn(settings[nameOfKey.get(key)!]))) return [];
  const printed = (directive.view ?? kind.view)(value);
  const words = Array.isArray(printed) ? printed : [printed];
  return words.flatMap((word) => [directive.name].flat().flatMap((name) => line(name, word)));
}

function line(name: string, word: View | undefined): Directive[] {
  if (word === undefined) return [];
  if (typeof word === "boolean") return [{ name: Token.name(name), value: Token.name(word ? "on" : "off") }];
  if (!(word instanceof Token))
    throw new TypeError(`${name}: a directive's value is a Token, a boolean or a list of them`);
  return [{ name: Token.name(name), value: word }];
}
