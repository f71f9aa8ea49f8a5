/**
 * The entries of the ConfigMaps that `add-headers` and `proxy-set-headers` name, as headers. A value may hold variables
 * (RS-32.18); an empty value takes the header away. An entry that cannot be a header is left out, and a Problem says so.
 */
import { shown } from "../kinds/kind.ts";
import { headerName } from "../kinds/names.ts";
import { isKnownVariable, variablesIn, variableText } from "../kinds/variables.ts";
import type { ConfigMap } from "../model/objects.ts";
import type { Problem } from "../problem.ts";
import type { Header } from "../render/place.ts";
import { Token } from "../render/token.ts";
import type { Settings } from "./registry.ts";

export interface HeadersRead {
  /** Sorted by name. */
  readonly headers: readonly Header[];
  readonly problems: readonly Problem[];
}

export function headersOf(configMap: ConfigMap, settings: Settings): HeadersRead {
  const { namespace, name: configMapName } = configMap.metadata;
  const object = { kind: "ConfigMap", ...(namespace === undefined ? {} : { namespace }), name: configMapName };
  const headers: Header[] = [];
  const problems: Problem[] = [];
  for (const name of Object.keys(configMap.data ?? {}).sort()) {
    const value = (configMap.data?.[name] ?? "").replace(/\r?\n$/, "");
    const why = mistakeIn(name, value, settings);
    if (why === undefined) headers.push({ name: Token.name(name), value: valueToken(value) });
    else problems.push({ kind: "field-unusable", object, field: `data.${name}`, why, done: "it is left out" });
  }
  return { headers, problems };
}

function mistakeIn(name: string, value: string, settings: Settings): string | undefined {
  const named = headerName.read(name);
  if (!named.ok) return named.why;
  if (value === "") return undefined;
  const text = variableText.read(value);
  if (!text.ok) return text.why;
  if (value.length > 3000) return `the value has ${value.length} characters; at most 3000 are taken`;
  const own = snippetVariables(settings);
  const stranger = variablesIn(value).find((variable) => !own.has(variable) && !isKnownVariable(variable, "http"));
  return stranger === undefined ? undefined : `${shown(value)} names $${stranger}, which nothing declares`;
}

function valueToken(value: string): Token {
  return value === "" ? Token.text("") : (variableText.view(value) as Token);
}

/** Variables that the operator's snippets mention: one of them may declare what a header uses. */
function snippetVariables({ httpSnippet, serverSnippet, locationSnippet }: Settings): ReadonlySet<string> {
  return new Set(variablesIn([httpSnippet, serverSnippet, locationSnippet].join("\n")));
}
