/**
 * Finds what nginx would refuse in a snippet: directives that no nginx of the image has, and
 * variables that nothing declares. A snippet that is not allowed or cannot be parsed already has
 * another Problem and is skipped here.
 */
import { allDirectives, directiveMistake } from "../../directives/nginx-directives.ts";
import { variablesDeclaredIn } from "../../kinds/declared-variables.ts";
import { parse, type Statement } from "../../kinds/grammar.ts";
import { nearest } from "../../kinds/nearest.ts";
import { isKnownVariable, knownVariables, variablesIn } from "../../kinds/variables.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ObjectName, Problem } from "../../problem.ts";
import type { Settings } from "../../settings/registry.ts";
import type { TranslateOptions } from "../../translate/options.ts";

export interface Snippet {
  readonly object: ObjectName;
  /** As a Problem names it: `annotation configuration-snippet`, `data.http-snippet`. */
  readonly field: string;
  readonly text: string;
  readonly where: "http" | "stream";
}

/** The snippets of the controller's ConfigMap and, where they are allowed, those of Ingresses. */
export function snippetsIn(
  { ingresses, configMaps }: Snapshot,
  { allowSnippetAnnotations }: Settings,
  { annotationsPrefix, configMap }: TranslateOptions,
): readonly Snippet[] {
  const { metadata, data = {} } = configMaps.get(configMap ?? "") ?? {};
  const own = Object.entries(data).flatMap(([key, text]): Snippet[] => {
    if (!ownKeys.includes(key) || metadata === undefined) return [];
    const object = { kind: "ConfigMap", ...nameOf(metadata) };
    return [{ object, field: `data.${key}`, text, where: key === "stream-snippet" ? "stream" : "http" }];
  });
  if (!allowSnippetAnnotations) return own;
  const others = [...ingresses.values()].flatMap(({ metadata }) =>
    annotations.flatMap((key): Snippet[] => {
      const text = metadata.annotations?.[`${annotationsPrefix}/${key}`];
      if (text === undefined) return [];
      const object = { kind: "Ingress", ...nameOf(metadata) };
      return [{ object, field: `annotation ${key}`, text, where: key === "stream-snippet" ? "stream" : "http" }];
    }),
  );
  return [...own, ...others];
}

const ownKeys = ["main-snippet", "http-snippet", "server-snippet", "location-snippet", "stream-snippet"];
const annotations = ["configuration-snippet", "server-snippet", "auth-snippet", "stream-snippet"];

const nameOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }) => ({
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

/** A variable that one snippet declares is known to all, because nginx has one table of them. */
export function snippetProblems(snippets: readonly Snippet[]): Problem[] {
  // The operator's own modules bring further directives and variables.
  if (snippets.some(({ text }) => /\bload_module\b/.test(text))) return [];
  const declared = new Set(snippets.flatMap(({ text }) => variablesDeclaredIn(text)));
  return snippets.flatMap((snippet) => {
    const parsed = parse(snippet.text);
    if (!parsed.ok) return [];
    return parsed.statements.flatMap((one) => mistakesIn(one, snippet, declared)).slice(0, mostOfOne);
  });
}

/** Findings about one snippet. Only the first is returned, because it often causes the others. */
const mostOfOne = 5;

/** Blocks whose lines are not directives. */
const tables = new Set(["map", "geo", "split_clients", "types", "charset_map", "geoip2", "match", "otel_exporter"]);
/** Directives whose arguments and lines are another language. */
const lua = /_by_lua(_block|_file)?$/;

function mistakesIn(statement: Statement, snippet: Snippet, declared: ReadonlySet<string>): Problem[] {
  const { name, args, line, block = [] } = statement;
  const mistake = directiveMistake(name);
  if (mistake !== undefined) return [refused(snippet, line, mistake, nearest(name, allDirectives))];
  if (lua.test(name) || tables.has(name)) return [];
  const unknown = [...new Set(variablesIn(args.join(" ")))].filter(
    (one) => !declared.has(one) && !isKnownVariable(one, snippet.where),
  );
  const own = unknown.map((one) =>
    refused(
      snippet,
      line,
      `nothing declares the variable $${one}`,
      nearest(one, [...declared, ...knownVariables(snippet.where)]),
    ),
  );
  return [...own, ...block.flatMap((one) => mistakesIn(one, snippet, declared))];
}

function refused({ object, field }: Snippet, line: number, what: string, meant: string | undefined): Problem {
  const why = `line ${line} of it: ${what}${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
  return { object, kind: "field-unusable", field, why, done: "nginx would refuse it" };
}
