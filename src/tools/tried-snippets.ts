/**
 * Tests snippets with the nginx of this machine: it gets the whole configuration, and the search of
 * a running controller finds what it refuses. Without nginx the snippets are not tested.
 */
import type { Flags } from "../controller/flags.ts";
import { nameOf } from "../core/model/objects.ts";
import { named, type ObjectName, type Problem } from "../core/model/problem.ts";
import type { Snapshot } from "../core/model/snapshot.ts";
import type { Settings } from "../core/settings/registry.ts";
import type { TranslateOptions } from "../core/table/options.ts";
import { counted } from "./words.ts";

export interface Tried {
  readonly problems: readonly Problem[];
  /** Says which nginx was used, or that there is none; undefined if there are no snippets. */
  readonly note?: string;
  readonly isTested?: true;
}

export interface Snippet {
  readonly object: ObjectName;
  /** The field as a Problem names it: `annotation configuration-snippet`, `data.http-snippet`. */
  readonly field: string;
  readonly text: string;
}

export interface Translation {
  readonly snapshot: Snapshot;
  readonly configuration: { readonly settings: Settings };
  readonly options: TranslateOptions;
  readonly accepted: { readonly has: (key: string) => boolean };
}

export async function tryingSnippets(about: Translation, flags: Flags, env: NodeJS.ProcessEnv): Promise<Tried> {
  const snippets = snippetsOf(about);
  if (snippets.length === 0) return { problems: [] };
  // nginx is loaded only here, because most folders have no snippets.
  const { serveLocally } = await import("./local-nginx.ts");
  const started = await serveLocally(about.snapshot, flags, env);
  const which = counted(snippets.length, "snippet");
  if (!started.ok) return { problems: [], note: `${which} ${were(snippets)} not tested: ${started.why.split(";")[0]}` };
  const { problems, version, stop } = started.nginx;
  const refused = problems().flatMap((one) => inSnippet(one, snippets));
  await stop();
  return {
    problems: refused,
    isTested: true,
    note: `${which} ${were(snippets)} tested with nginx ${version} of this machine`,
  };
}

const were = ({ length }: readonly unknown[]): string => (length === 1 ? "was" : "were");

/** Returns the snippets in use: those of the ConfigMap, and those of Ingresses if allowed. */
export function snippetsOf({ snapshot, configuration, options, accepted }: Translation): readonly Snippet[] {
  const { annotationsPrefix, configMap = "" } = options;
  const of = (kind: string, key: string, written: Readonly<Record<string, string>>, begin: string) =>
    Object.entries(written).flatMap(([name, text]): Snippet[] => {
      const isSnippet = name.startsWith(begin) && name.endsWith("-snippet") && text.trim() !== "";
      const field = kind === "Ingress" ? `annotation ${name.slice(begin.length)}` : `data.${name}`;
      return isSnippet ? [{ object: { kind, ...nameOf(key) }, field, text }] : [];
    });
  const own = of("ConfigMap", configMap, snapshot.configMaps.get(configMap)?.data ?? {}, "");
  if (!configuration.settings.allowSnippetAnnotations) return own;
  const others = [...snapshot.ingresses].flatMap(([key, { metadata }]) =>
    accepted.has(key) ? of("Ingress", key, metadata.annotations ?? {}, `${annotationsPrefix}/`) : [],
  );
  return [...own, ...others];
}

/**
 * Returns a refusal of nginx as a Problem of the snippet that is meant: the one with a word that
 * nginx quotes, or else the first one of the object.
 */
function inSnippet(problem: Problem, snippets: readonly Snippet[]): readonly Problem[] {
  const { object } = problem;
  const isOfKey = problem.kind === "setting-unreadable" && problem.why.startsWith(ofKey);
  if (problem.kind !== "nginx-refused" && !isOfKey) return [];
  const why = isOfKey ? problem.why.slice(ofKey.length) : problem.why;
  const own = snippets.filter((one) => named(one.object) === named(object));
  const words = [...why.matchAll(/"([^"]+)"/g)].map(([, word]) => word!);
  const field = isOfKey
    ? `data.${problem.key}`
    : (own.find(({ text }) => words.some((word) => text.includes(word))) ?? own[0])?.field;
  return [field === undefined ? problem : { object, kind: "snippet-refused", field, why }];
}

const ofKey = "nginx refused it: ";
