/**
 * The nginx.conf template in use: `nginx.tmpl` and its partials. An undefined name throws instead
 * of printing nothing, so a mistake in a template is found when it is tried, not when it serves.
 */
import { Token, type View } from "../tokens/token.ts";

/** Template files by name without `.tmpl`: `nginx`, `location`, `settings/gzip` ... */
export type TemplateFiles = ReadonlyMap<string, string>;

export interface Template {
  /**
   * Renders the file called `name`; throws a TemplateError if the text uses a name that the View
   * lacks.
   */
  render(name: string, view: View): Token;
}

/** A mistake in the text of a template, found while rendering. */
export class TemplateError extends Error {}

/** Makes the template of files that Handlebars has compiled; each returns its text for a View. */
export function templateOf(delegates: ReadonlyMap<string, (view: View) => string>): Template {
  const render = (name: string, view: View): Token => {
    const delegate = delegates.get(name);
    if (delegate === undefined) throw new TemplateError(`there is no ${name}.tmpl`);
    try {
      return Token.rendered((given) => tidy(delegate(given)), view);
    } catch (cause) {
      throw new TemplateError(`${name}.tmpl: ${mistakeIn(cause)}`, { cause });
    }
  };
  return { render };
}

/** Returns Handlebars' words about a mistake. Those about the syntax go on in a second line. */
export function mistakeIn(error: unknown): string {
  const [first = "", second = ""] = String((error as Error).message).split("\n");
  return /^Parse error/.test(first) ? `${first} ${second.trim()}` : first;
}

/** Drops blank lines, which conditions leave behind, because people read the file, too. */
function tidy(text: string): string {
  return text.replace(/\n[ \t]*(?=\n)/g, "");
}
