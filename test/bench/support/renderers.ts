/** A Renderer with the built-in template, for a machine like the image. */
import { defaultFlags } from "../../../src/cli/flags.ts";
import { imageMachine } from "../../../src/cli/tools/image-machine.ts";
import { compileTemplate } from "../../../src/render/compile-template.ts";
import { DynamicRenderer } from "../../../src/render/dynamic/renderer.ts";
import type { Renderer } from "../../../src/render/rendering.ts";
import { StaticRenderer } from "../../../src/render/static/renderer.ts";
import type { Template } from "../../../src/render/template.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/template/files.ts";

let template: Template | undefined;

export function newRenderer(mode: "dynamic" | "static"): Renderer {
  const machine = imageMachine({ ...defaultFlags("run"), mode });
  template ??= builtIn();
  return mode === "dynamic" ? new DynamicRenderer(machine, template) : new StaticRenderer(machine, template);
}

function builtIn(): Template {
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!compiled.ok) throw new Error(compiled.why);
  return compiled.template;
}
