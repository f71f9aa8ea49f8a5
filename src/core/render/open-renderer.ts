/** Makes the Renderer for the machine's mode. */

import type { Machine } from "../tokens/machine.ts";
import { DynamicRenderer } from "./dynamic/renderer.ts";
import type { Renderer } from "./rendering.ts";
import { StaticRenderer } from "./static/renderer.ts";
import type { Template } from "./template.ts";

/** Returns the Renderer. `records` are those that shared memory may already have. */
export function openRenderer(machine: Machine, template: Template, records?: ReadonlyMap<string, string>): Renderer {
  return machine.mode === "dynamic"
    ? new DynamicRenderer(machine, template, records)
    : new StaticRenderer(machine, template);
}
