/**
 * The nginx.conf template: `nginx.tmpl` and its partials, compiled with Handlebars. An undefined
 * name throws instead of printing nothing (`strict`), so a mistake in a template is found when it
 * is tried, not when it serves.
 */
// This build has no source maps, whose library takes 7 MB and a quarter of the compile time.
import Handlebars from "handlebars/dist/handlebars.js";
import { Token, type View } from "../directives/token.ts";

/** Template files by name without `.tmpl`: `nginx`, `location`, `settings/gzip` ... */
export type TemplateFiles = ReadonlyMap<string, string>;

export type CompiledTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly why: string };

export interface Template {
  /**
   * Renders the file called `name`; throws a TemplateError where the text uses a name that the View
   * lacks.
   */
  render(name: string, view: View): Token;
}

/** A mistake in the text of a template, found while rendering. */
export class TemplateError extends Error {}

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
      const options = { strict: true, knownHelpersOnly: true };
      const tree = Handlebars.parse(text);
      strictArguments.accept(tree);
      const delegate = handlebars.compile(tree, options);
      handlebars.registerPartial(name, delegate);
      delegates.set(name, delegate);
    } catch (error) {
      return { ok: false, why: `${name}.tmpl: ${firstLines(error)}` };
    }
  }
  const render = (name: string, view: View): Token => {
    const delegate = delegates.get(name);
    if (delegate === undefined) throw new TemplateError(`there is no ${name}.tmpl`);
    try {
      return Token.rendered((given) => tidy(delegate(given)), view);
    } catch (cause) {
      throw new TemplateError(`${name}.tmpl: ${firstLines(cause)}`, { cause });
    }
  };
  return { ok: true, template: { render } };
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
 * ingress-nginx's own templates are Go templates. They cannot work here, and this message is better
 * than a parse error.
 */
function goTemplate(text: string): string | undefined {
  const sign = /\{\{-?\s*(\$\w+\s*:=|range\b|define\b|end\b|if\s+\(|template\s+")/.exec(text)?.[0];
  if (sign === undefined) return undefined;
  return `it is a Go template (${JSON.stringify(sign)}), written for ingress-nginx; Sluice's are Handlebars templates`;
}

function firstLines(error: unknown): string {
  const [first = "", second = ""] = String((error as Error).message).split("\n");
  return /^Parse error/.test(first) ? `${first} ${second.trim()}` : first;
}

/** Drops blank lines, which conditions leave behind, because people read the file, too. */
function tidy(text: string): string {
  return text.replace(/\n[ \t]*(?=\n)/g, "");
}
