/**
 * Finds what nginx would refuse in a snippet: directives that the image's nginx does not have or
 * does not allow in this block, conditions that it cannot read, and variables, zones and log
 * formats that nothing declares. A snippet that is not allowed or cannot be parsed already has
 * another Problem and is skipped here.
 */

import { didYouMean } from "../../base/did-you-mean.ts";
import { visible } from "../../base/visible.ts";
import { variablesDeclaredIn } from "../../core/kinds/declared-variables.ts";
import { parse, type Statement } from "../../core/kinds/grammar.ts";
import { shown } from "../../core/kinds/kind.ts";
import { nearest } from "../../core/kinds/nearest.ts";
import {
  isKnownVariable,
  knownVariables,
  needsGeoip2,
  variablesIn,
  withoutGeoip2,
} from "../../core/kinds/variables.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { answerVariables } from "../../core/policies/external-auth/answer-variables.ts";
import type { Settings } from "../../core/settings/registry.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { allDirectives, type Context, contextInside, directiveMistake } from "../../core/tokens/nginx-directives.ts";
import { builtIn, declaredBy, namesDeclaredIn, namesUsedBy, type SnippetName } from "./snippet-names.ts";

export interface Snippet {
  readonly object: ObjectName;
  /** The field as a Problem names it: `annotation configuration-snippet`, `data.http-snippet`. */
  readonly field: string;
  readonly text: string;
  /** The block of nginx.conf that it is written into. */
  readonly context: Context;
  /** Names of the variables that an auth request brings for it. */
  readonly brings?: readonly string[];
}

/**
 * Returns the snippets of the controller's ConfigMap and, if they are allowed, those of
 * Ingresses.
 */
export function snippetsIn(
  { ingresses, configMaps }: Snapshot,
  { allowSnippetAnnotations, globalAuthUrl, globalAuthResponseHeaders }: Settings,
  { annotationsPrefix, configMap }: TranslateOptions,
): readonly Snippet[] {
  const { metadata, data = {} } = configMaps.get(configMap ?? "") ?? {};
  const everywhere = globalAuthUrl.kind === "ask" ? namesOf(globalAuthResponseHeaders) : [];
  const own = Object.entries(data).flatMap(([key, text]): Snippet[] => {
    const context = ownKeys.get(key);
    if (context === undefined || metadata === undefined) return [];
    const object = { kind: "ConfigMap", ...nameOf(metadata) };
    return [{ object, field: `data.${key}`, text, context, brings: everywhere }];
  });
  if (!allowSnippetAnnotations) return own;
  const others = [...ingresses.values()].flatMap(({ metadata }) =>
    [...annotations].flatMap(([key, context]): Snippet[] => {
      const text = metadata.annotations?.[`${annotationsPrefix}/${key}`];
      if (text === undefined) return [];
      const object = { kind: "Ingress", ...nameOf(metadata) };
      const value = (name: string) => metadata.annotations?.[`${annotationsPrefix}/${name}`] ?? "";
      const brings = value("auth-url") === "" ? everywhere : namesOf(value("auth-response-headers").split(","));
      return [{ object, field: `annotation ${key}`, text, context, brings }];
    }),
  );
  return [...own, ...others];
}

const ownKeys: ReadonlyMap<string, Context> = new Map([
  ["main-snippet", "main"],
  ["http-snippet", "http"],
  ["server-snippet", "server"],
  ["location-snippet", "location"],
  ["stream-snippet", "stream"],
]);
export const authSnippet = "annotation auth-snippet";
const annotations: ReadonlyMap<string, Context> = new Map([
  ["configuration-snippet", "location"],
  ["server-snippet", "server"],
  ["auth-snippet", "location"],
  ["stream-snippet", "stream"],
]);

/** Returns the block into which the snippet of an annotation or of a ConfigMap key is written. */
export const contextOf = (of: "annotation" | "key", name: string): Context | undefined =>
  (of === "annotation" ? annotations : ownKeys).get(name);

const namesOf = (headers: readonly string[]): readonly string[] => answerVariables(headers).map(({ name }) => name);

const nameOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }) => ({
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

/** Returns the variables that snippets declare, and those that auth requests bring for them. */
export function variablesOf(snippets: readonly Snippet[]): ReadonlySet<string> {
  return new Set(snippets.flatMap(({ text, brings = [] }) => [...variablesDeclaredIn(text), ...brings]));
}

/**
 * Returns the findings about all snippets together. nginx has one table of names, so a name that
 * one snippet declares can be used in all others.
 */
export function snippetProblems(snippets: readonly Snippet[], { useGeoip2 }: Pick<Settings, "useGeoip2">): Problem[] {
  // The operator's own modules bring further directives and variables.
  if (snippets.some(({ text }) => /\bload_module\b/.test(text))) return [];
  const all = snippets.flatMap((snippet) => {
    const parsed = parse(snippet.text);
    return parsed.ok ? [{ snippet, statements: parsed.statements }] : [];
  });
  const declared = {
    variables: variablesOf(snippets),
    names: [...builtIn, ...all.flatMap(({ statements }) => namesDeclaredIn(statements))],
    isWhole: !all.some(({ statements }) => includesFiles(statements)),
    useGeoip2,
  };
  return all.flatMap(({ snippet, statements }) => [
    ...(snippet.context === "server" ? statements.flatMap((one) => withoutAnswer(one, snippet)) : []),
    ...(snippet.context === "location" ? filesOfNginx(statements, snippet) : []),
    ...statements.flatMap((one) => mistakesIn(one, snippet, declared)).slice(0, mostOfOne),
  ]);
}

/** Directives with which a location answers or goes on; with any other one it may be meant so. */
const answers =
  /_pass$|_by_lua|^(?:return|rewrite|try_files|root|alias|index|autoindex|internal|include|deny|error_page|stub_status|empty_gif|js_content|perl|if|limit_except|echo|auth_request|satisfy|flv|mp4|random_index)$/;

/** Finds a location that only sets something: nginx then looks for a file on its own disk. */
function withoutAnswer({ name, args, line, block = [] }: Statement, { object, field }: Snippet): Problem[] {
  const isOrdinary = name === "location" && !args.at(-1)?.startsWith("@");
  if (!isOrdinary || block.some((one) => answers.test(one.name) || one.name === "location")) return [];
  // A misspelt directive may be the one that answers, and it has a finding of its own.
  if (block.some((one) => !allDirectives.includes(one.name))) return [];
  const why = `line ${line}: location ${visible(args.join(" "))} names no backend, so nginx looks for a file of its own and answers 404; it needs a proxy_pass`;
  return [{ object, kind: "field-doubtful", field, why }];
}

/** Finds `try_files` where a Service answers: nginx has none of the files of the Service. */
function filesOfNginx(statements: readonly Statement[], { object, field }: Snippet): Problem[] {
  if (field === authSnippet || statements.some(({ name }) => name === "root" || name === "alias")) return [];
  return statements.flatMap(({ name, args, line }): Problem[] => {
    const last = args.at(-1);
    if (name !== "try_files" || last === undefined) return [];
    const end = last.startsWith("=") ? `gets ${visible(last.slice(1))}` : `goes on as ${visible(last)}`;
    const why = `line ${line}: try_files looks for files of nginx and none of the Service, so nearly every request ${end}; let the Service find its files`;
    return [{ object, kind: "field-doubtful", field, why }];
  });
}

interface Declared {
  readonly variables: ReadonlySet<string>;
  readonly names: readonly SnippetName[];
  /** False if a snippet includes files: they cannot be read here and may declare more. */
  readonly isWhole: boolean;
  readonly useGeoip2: boolean;
}

const includesFiles = (statements: readonly Statement[]): boolean =>
  statements.some(({ name, block }) => name === "include" || includesFiles(block ?? []));

/** The most findings per snippet: the first one often causes the others. */
const mostOfOne = 5;

/** Directives whose arguments and blocks are Lua, which is not checked. */
const lua = /_by_lua(_block|_file)?$/;

function mistakesIn(
  { name, args, line, block = [] }: Statement,
  snippet: Snippet,
  declared: Declared,
  context = snippet.context,
): Problem[] {
  const mistake = directiveMistake(name, context, args);
  if (mistake !== undefined) {
    const similar = allDirectives.includes(name) ? undefined : nearest(name, allDirectives);
    return [refused(snippet, line, mistake, similar)];
  }
  const inside = contextInside(name, context);
  if (lua.test(name) || (block.length > 0 && inside === undefined)) return [];
  const where = context.startsWith("stream") ? "stream" : "http";
  const { variables, useGeoip2 } = declared;
  const named = [...new Set(variablesIn(args.join(" ")))].filter((one) => declared.isWhole && !variables.has(one));
  const own = named.flatMap((one) => {
    if (!useGeoip2 && needsGeoip2(one)) return [refused(snippet, line, withoutGeoip2(one), undefined)];
    if (isKnownVariable(one, where)) return [];
    const meant = nearest(one, [...variables, ...knownVariables(where)]);
    return [refused(snippet, line, `nothing declares the variable $${one}`, meant)];
  });
  const used = declared.isWhole ? namesUsedBy({ name, args }) : [];
  own.push(...used.flatMap((one) => undeclared(one, declared.names, snippet, line)));
  const operator = name === "if" ? unknownOperator(args) : undefined;
  if (operator !== undefined)
    own.push(refused(snippet, line, `${shown(operator)} is not an operator of if`, undefined));
  return [...own, ...block.flatMap((one) => mistakesIn(one, snippet, declared, inside))];
}

/**
 * Returns a finding if no statement declares the name. A zone of the same name that another
 * module declares does not count, as in nginx.
 */
function undeclared({ sort, name }: SnippetName, names: readonly SnippetName[], snippet: Snippet, line: number) {
  const known = names.filter((one) => one.sort === sort).map((one) => one.name);
  if (known.includes(name)) return [];
  const what = `no ${declaredBy[sort]} declares the ${sort} ${shown(name)}`;
  return [refused(snippet, line, what, nearest(name, known))];
}

/** Returns the operator of `if ($variable OPERATOR value)`, unless nginx has it. */
function unknownOperator(args: readonly string[]): string | undefined {
  const [variable, operator] = args.filter((word) => word !== "(" && word !== ")");
  if (operator === undefined || !/^\(?\$/.test(variable!)) return undefined;
  return operators.has(operator) ? undefined : operator;
}

const operators = new Set(["=", "!=", "~", "~*", "!~", "!~*"]);

function refused({ object, field }: Snippet, line: number, what: string, meant: string | undefined): Problem {
  const why = `line ${line}: ${what}${didYouMean(meant)}`;
  return { object, kind: "snippet-refused", field, why };
}
