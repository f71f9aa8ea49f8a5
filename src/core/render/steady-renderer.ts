/**
 * A Renderer that survives a failing template. A template is tried before it is used, but only with
 * the objects of that moment. It may fail later, for example with the first object that has a
 * certain annotation. Then the built-in template replaces it. A failure of the built-in one is a
 * bug.
 */

import type { Configuration } from "../model/configuration.ts";
import type { FeatureValues } from "../policies/registry.ts";
import type { Settings } from "../settings/registry.ts";
import type { Circumstances, Rendered, Renderer } from "./rendering.ts";
import { type Template, TemplateError } from "./template.ts";

export class SteadyRenderer implements Renderer {
  readonly #renderer: Renderer;
  readonly #builtIn: Template;
  readonly #gaveUp: (why: string) => void;
  #template: Template;

  /**
   * `renderer` uses `builtIn` at the start. `gaveUp` gets the reason why the built-in template
   * replaced another one.
   */
  constructor(renderer: Renderer, builtIn: Template, gaveUp: (why: string) => void) {
    this.#renderer = renderer;
    this.#builtIn = builtIn;
    this.#template = builtIn;
    this.#gaveUp = gaveUp;
  }

  use(template: Template): void {
    this.#template = template;
    this.#renderer.use(template);
  }

  render(next: Configuration<Settings, FeatureValues>, circumstances?: Circumstances): Rendered {
    try {
      return this.#renderer.render(next, circumstances);
    } catch (error) {
      if (!(error instanceof TemplateError) || this.#template === this.#builtIn) {
        // The Renderer's cache may be incomplete, so everything is rendered again the next time.
        this.#renderer.use(this.#template);
        throw error;
      }
      this.use(this.#builtIn);
      this.#gaveUp(error.message);
      return this.#renderer.render(next, circumstances);
    }
  }

  get records(): ReadonlyMap<string, string> {
    return this.#renderer.records;
  }

  get shapeCount(): number {
    return this.#renderer.shapeCount;
  }
}
