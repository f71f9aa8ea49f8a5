/**
 * The nginx.conf template: `nginx.tmpl` and its partials, compiled with Handlebars. A name that does not exist throws
 * instead of printing nothing (`strict`), so a mistake in a template is found when it is tried, not when it serves.
 */
import Handlebars from "handlebars";
import { Token, type View } from "./token.ts";

/** Template files by name without `.tmpl`: `nginx`, `location`, `settings/gzip` ... */
export type TemplateFiles = ReadonlyMap<string, string>;

export type CompiledTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly why: string };

export interface Template {
  /** Renders the file called `name`; throws a TemplateError where the text asks for something the View has not. */
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
      handlebars.registerPartial(name, handlebars.compile(tree, options));
      delegates.set(name, handlebars.compile(tree, options));
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

/** ingress-nginx's own templates are Go's: they cannot work here, and saying so is better than a parse error. */
function goTemplate(text: string): string | undefined {
  const sign = /\{\{-?\s*(\$\w+\s*:=|range\b|define\b|end\b|if\s+\(|template\s+")/.exec(text)?.[0];
  if (sign === undefined) return undefined;
  return `it is a Go template (${JSON.stringify(sign)}), written for ingress-nginx; Sluice's are Handlebars templates`;
}

function firstLines(error: unknown): string {
  const [first = "", second = ""] = String((error as Error).message).split("\n");
  return /^Parse error/.test(first) ? `${first} ${second.trim()}` : first;
}

/** Blank lines, which conditions leave behind, are dropped: the file is read by people too. */
function tidy(text: string): string {
  return text.replace(/\n[ \t]*(?=\n)/g, "");
}
