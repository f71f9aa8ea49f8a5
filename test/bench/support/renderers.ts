/** A Renderer with the built-in template, for a machine like the image. */

import { defaultFlags } from "../../../src/controller/flags.ts";
import { compileTemplate } from "../../../src/core/render/compile-template.ts";
import { DynamicRenderer } from "../../../src/core/render/dynamic/renderer.ts";
import type { Renderer } from "../../../src/core/render/rendering.ts";
import { StaticRenderer } from "../../../src/core/render/static/renderer.ts";
import type { Template } from "../../../src/core/render/template.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/nginx/template/files.ts";
import { imageMachine } from "../../../src/tools/image-machine.ts";

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
