/** Finds locations in snippets that nginx accepts, and that answer with files of nginx itself. */

import { visible } from "../../base/visible.ts";
import { parse, type Statement } from "../../core/kinds/grammar.ts";
import type { Problem } from "../../core/model/problem.ts";
import { allDirectives } from "../../core/tokens/nginx-directives.ts";
import type { Snippet } from "../tried-snippets.ts";

export function snippetDoubts(snippets: readonly Snippet[]): Problem[] {
  return snippets.flatMap((snippet) => {
    const parsed = parse(snippet.text);
    if (!parsed.ok) return [];
    if (/(annotation |data\.)server-snippet/.test(snippet.field))
      return parsed.statements.flatMap((one) => withoutAnswer(one, snippet));
    return /(configuration|location)-snippet/.test(snippet.field) ? filesOfNginx(parsed.statements, snippet) : [];
  });
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
  if (statements.some(({ name }) => name === "root" || name === "alias")) return [];
  return statements.flatMap(({ name, args, line }): Problem[] => {
    const last = args.at(-1);
    if (name !== "try_files" || last === undefined) return [];
    const end = last.startsWith("=") ? `gets ${visible(last.slice(1))}` : `goes on as ${visible(last)}`;
    const why = `line ${line}: try_files looks for files of nginx and none of the Service, so nearly every request ${end}; let the Service find its files`;
    return [{ object, kind: "field-doubtful", field, why }];
  });
}
