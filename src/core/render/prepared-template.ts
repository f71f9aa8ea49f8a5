/**
 * The template of files that were compiled when the program was built. That takes 75 ms off each
 * start, and the compiler's 140 KB of source are not loaded.
 */
// This build has no compiler.
import Handlebars from "handlebars/dist/handlebars.runtime.js";
import { type Prepared, prepared } from "./prepared.ts";
import { type Template, type TemplateFiles, templateOf } from "./template.ts";

/** Returns undefined if one of the files has no prepared form, or another text than that. */
export function preparedTemplate(files: TemplateFiles, forms = prepared): Template | undefined {
  const programs = [...files].map(([name, text]) => [name, programFor(forms.get(name), text)] as const);
  if (programs.some(([, program]) => program === undefined)) return undefined;
  const handlebars = Handlebars.create();
  const delegates = programs.map(([name, program]) => [name, handlebars.template(program!)] as const);
  for (const [name, delegate] of delegates) handlebars.registerPartial(name, delegate);
  return templateOf(new Map(delegates));
}

export const programFor = (form: Prepared | undefined, text: string): TemplateSpecification | undefined =>
  form?.text === text ? form.program : undefined;
