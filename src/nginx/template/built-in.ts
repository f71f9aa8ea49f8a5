/** The built-in template. Its compiler is loaded only if a file is not as it was built. */
import { preparedTemplate } from "../../core/render/prepared-template.ts";
import type { Template } from "../../core/render/template.ts";
import { builtInTemplates, readTemplateFiles } from "./files.ts";

export async function builtInTemplate(): Promise<Template> {
  const files = readTemplateFiles(builtInTemplates);
  const prepared = preparedTemplate(files);
  if (prepared !== undefined) return prepared;
  const { compileTemplate } = await import("../../core/render/compile-template.ts");
  const compiled = compileTemplate(files);
  if (!compiled.ok) throw new Error(`the built-in template: ${compiled.why}`);
  return compiled.template;
}
