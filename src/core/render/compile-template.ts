/**
 * Compiles a template with Handlebars. An undefined name throws instead of printing nothing
 * (`strict`). The built-in template is compiled when the program is built: see
 * `prepared-template.ts`. So the compiler is loaded only for a user's own template.
 */
// This build has no source maps, whose library takes 7 MB and a quarter of the compile time.
import Handlebars from "handlebars/dist/handlebars.js";
import { prepared } from "./prepared.ts";
import { programFor } from "./prepared-template.ts";
import { mistakeIn, type Template, type TemplateFiles, templateOf } from "./template.ts";

export type CompiledTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly why: string };

export const entry = "nginx";

export function compileTemplate(files: TemplateFiles): CompiledTemplate {
  const main = files.get(entry);
  if (main === undefined) return { ok: false, why: `there is no ${entry}.tmpl` };
  const go = goTemplate(main);
  if (go !== undefined) return { ok: false, why: go };
  const handlebars = Handlebars.create();
  const delegates = new Map<string, Handlebars.TemplateDelegate>();
  for (const [name, text] of files) {
    try {
      const program = programFor(prepared.get(name), text);
      const delegate = program ? handlebars.template(program) : handlebars.compile(strictTree(text), options);
      handlebars.registerPartial(name, delegate);
      delegates.set(name, delegate);
    } catch (error) {
      return { ok: false, why: `${name}.tmpl: ${mistakeIn(error)}` };
    }
  }
  return { ok: true, template: templateOf(delegates) };
}

/** Returns the program of one file as JavaScript, for `prepared.ts`. */
export const programOf = (text: string): string => String(Handlebars.precompile(strictTree(text), options));

const options = { strict: true, knownHelpersOnly: true };

function strictTree(text: string): hbs.AST.Program {
  const tree = Handlebars.parse(text);
  strictArguments.accept(tree);
  return tree;
}

/**
 * Handlebars is only strict about printed values; a condition or a list with an undefined name is a
 * mistake as well.
 */
class StrictArguments extends Handlebars.Visitor {
  override BlockStatement(block: hbs.AST.BlockStatement): void {
    this.#mark(block.params);
    super.BlockStatement(block);
  }

  override PartialStatement(partial: hbs.AST.PartialStatement): void {
    this.#mark(partial.params);
    super.PartialStatement(partial);
  }

  /** Handlebars marks printed values with `strict`; `this` has no parts and always exists. */
  #mark(params: readonly (hbs.AST.Expression | hbs.AST.PathExpression)[]): void {
    for (const param of params) if ("parts" in param && param.parts.length > 0) Object.assign(param, { strict: true });
  }
}

const strictArguments = new StrictArguments();

/**
 * Returns a message for a Go template, such as ingress-nginx's own. It cannot work here, and the
 * message is better than a parse error.
 */
function goTemplate(text: string): string | undefined {
  const sign = /\{\{-?\s*(\$\w+\s*:=|range\b|define\b|end\b|if\s+\(|template\s+")/.exec(text)?.[0];
  if (sign === undefined) return undefined;
  return `it is a Go template (${JSON.stringify(sign)}), written for ingress-nginx; Sluice's are Handlebars templates`;
}
