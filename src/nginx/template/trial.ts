/**
 * Tries a template on the present Configuration before it is used: a separate Renderer renders it,
 * and nginx tests the text. So a bad template never becomes live.
 */

import type { Configuration } from "../../core/model/configuration.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { openRenderer } from "../../core/render/open-renderer.ts";
import { type Template, TemplateError } from "../../core/render/template.ts";
import type { Settings } from "../../core/settings/registry.ts";
import type { Machine } from "../../core/tokens/machine.ts";
import type { Nginx } from "../index.ts";

export type TemplateVerdict =
  | { readonly kind: "good" }
  | {
      readonly kind: "bad";
      readonly why: string;
      /** The rendered line that nginx refuses. */
      readonly line?: string;
    };

export interface TrialOptions {
  readonly machine: Machine;
  readonly nginx: Nginx;
  /**
   * The built-in template. Its mistakes are bugs of single hosts, while mistakes of any other
   * template are those of its author.
   */
  readonly builtIn: Template;
  readonly signal: AbortSignal;
}

export async function tryTemplate(
  template: Template,
  configuration: Configuration<Settings, FeatureValues>,
  { machine, nginx, builtIn, signal }: TrialOptions,
): Promise<TemplateVerdict> {
  const conf = rendered(template, builtIn, configuration, machine);
  if (conf instanceof TemplateError) return { kind: "bad", why: conf.message };
  const tested = await nginx.test(conf, signal);
  if (tested.kind === "accepted") return { kind: "good" };
  if (tested.kind === "unreachable") return { kind: "bad", why: tested.cause.message };
  const line = tested.at === undefined ? undefined : conf.split("\n")[tested.at.line - 1]?.trim();
  return { kind: "bad", why: `nginx refuses its text: ${tested.stderr}`, ...(line === undefined ? {} : { line }) };
}

function rendered(
  template: Template,
  builtIn: Template,
  configuration: Configuration<Settings, FeatureValues>,
  machine: Machine,
): string | TemplateError {
  try {
    const renderer = openRenderer(machine, builtIn);
    renderer.use(template);
    return renderer.render(configuration).text.conf;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}
