/**
 * Makes a Renderer for the tools, in the mode of the flags, with the built-in template or the
 * user's own over it.
 */

import type { Flags } from "../controller/flags.ts";
import { compileTemplate } from "../core/render/compile-template.ts";
import { DynamicRenderer } from "../core/render/dynamic/renderer.ts";
import type { Renderer } from "../core/render/rendering.ts";
import { StaticRenderer } from "../core/render/static/renderer.ts";
import { builtInTemplates, readTemplateFiles, readTemplateFolders } from "../nginx/template/files.ts";
import { imageMachine } from "./image-machine.ts";

export type OpenedRenderer =
  | { readonly ok: true; readonly renderer: Renderer }
  | { readonly ok: false; readonly why: string };

export function toolRenderer(flags: Flags): OpenedRenderer {
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!compiled.ok) return { ok: false, why: `the template cannot be used: ${compiled.why}` };
  const machine = imageMachine(flags);
  const { template } = compiled;
  const renderer =
    machine.mode === "dynamic" ? new DynamicRenderer(machine, template) : new StaticRenderer(machine, template);
  if (flags.templateDir === undefined) return { ok: true, renderer };
  const read = readTemplateFolders([builtInTemplates, flags.templateDir]);
  if (!read.ok) return { ok: false, why: `the template in ${flags.templateDir} cannot be read: ${read.why}` };
  const own = compileTemplate(read.files);
  if (!own.ok) return { ok: false, why: `the template cannot be used: ${own.why}` };
  renderer.use(own.template);
  return { ok: true, renderer };
}
