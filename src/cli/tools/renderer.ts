/** A Renderer for the tools, in the mode that the flags say, with the template that comes with Sluice or the user's own over it. */
import { DynamicRenderer } from "../../render/dynamic-renderer.ts";
import type { Renderer } from "../../render/rendering.ts";
import { StaticRenderer } from "../../render/static-renderer.ts";
import { compileTemplate } from "../../render/template.ts";
import { builtInTemplates, readTemplateFiles } from "../../template-files.ts";
import type { Flags } from "../flags.ts";
import { imageMachine } from "./image-machine.ts";

export type OpenedRenderer =
  | { readonly ok: true; readonly renderer: Renderer }
  | { readonly ok: false; readonly why: string };

export function toolRenderer(flags: Flags): OpenedRenderer {
  const own = flags.templateDir === undefined ? new Map<string, string>() : readTemplateFiles(flags.templateDir);
  const compiled = compileTemplate(new Map([...readTemplateFiles(builtInTemplates), ...own]));
  if (!compiled.ok) return { ok: false, why: `the template cannot be used: ${compiled.why}` };
  const machine = imageMachine(flags);
  const { template } = compiled;
  const renderer =
    machine.mode === "dynamic" ? new DynamicRenderer(machine, template) : new StaticRenderer(machine, template);
  return { ok: true, renderer };
}
