/** Names that texts of the operator and of authors declare or read. */
import { ownTextOf } from "../../policies/hooks.ts";
import { type FeatureValues, featureList } from "../../policies/registry.ts";
import { declaredBySettings } from "../../settings/declared-variables.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Place } from "../../tokens/place.ts";
import type { AboutLocations } from "./view.ts";

/**
 * Returns the names of headers that backends get or that the operator's texts read, in lower case.
 * In a line about a header the first word is the directive and the second one is the name.
 */
export function usedHeaders({ requestHeaders: headers, everywhere, settings }: AboutLocations): ReadonlySet<string> {
  const { http, server, location } = everywhere.headerLines;
  const written = [...http, ...server, ...location].map(({ text }) => text.split(/\s+/)[1] ?? "");
  const { httpSnippet, serverSnippet, locationSnippet, logFormatUpstream } = settings;
  const texts = [httpSnippet, serverSnippet, locationSnippet, logFormatUpstream].join("\n");
  const read = [...texts.matchAll(/\$\{?http_(\w+)/g)].map(([, name]) => name!.replaceAll("_", "-"));
  const names = [
    ...headers.map(({ name }) => String(name)),
    ...written.map((name) => name.replace(/^["']|["']$/g, "")),
  ];
  return new Set([...names, ...read].map((name) => name.toLowerCase()));
}

/** Answers about names in the location's own snippets and in those of the ConfigMap. */
export function snippetNames(values: FeatureValues, settings: Settings): Pick<Place, "declares" | "names"> {
  const declared = declaredFor(values, settings);
  const texts = () => [ownTextOf(values, "location"), settings.serverSnippet, settings.locationSnippet].join("\n");
  let words: ReadonlySet<string> | undefined;
  return {
    declares: (variable) => declared.has(variable),
    names: (word) => {
      words ??= new Set(texts().match(/\w+/g));
      return words.has(word);
    },
  };
}

/** Returns the variables that the location's own snippets declare, and those of the ConfigMap. */
function declaredFor(values: FeatureValues, settings: Settings): ReadonlySet<string> {
  const own = featureList.flatMap(([name, { declares }]) => declares?.(values[name] as never) ?? []);
  const theirs = declaredBySettings(settings);
  return own.length === 0 ? theirs : new Set([...theirs, ...own]);
}
