/** The result of rendering a Configuration, in either mode: text with its files, and records. */

import type { Configuration } from "../model/configuration.ts";
import type { Problem } from "../model/problem.ts";
import type { FeatureValues } from "../policies/registry.ts";
import type { Settings } from "../settings/registry.ts";
import type { RenderedFile } from "./rendered-files.ts";
import type { Template } from "./template.ts";

export interface RenderedText {
  readonly conf: string;
  readonly generation: string;
  readonly files: readonly RenderedFile[];
  /** The shapes in it, each as `slot@name`. */
  readonly shapes: ReadonlySet<string>;
  /** Hashes of its parts, by names for people: two texts differ because some of these differ. */
  readonly parts: Readonly<Record<string, string>>;
  /** Finds the owners of a line of `conf`. */
  readonly ownersAt: OwnersAt;
}

/** Returns keys of objects, by kind and name. Lines are counted from 1, as in nginx. */
export type OwnersAt = (line: number) => ReadonlySet<string>;

export interface Rendered {
  readonly text: RenderedText;
  /** Only records that changed since the last turn. */
  readonly records: ReadonlyMap<string, ChangedRecord>;
  /** Files that nginx opens at requests. They must exist before the records are published. */
  readonly opened: readonly RenderedFile[];
  /** The Problems of owners whose host could not be rendered because of a bug, by host. */
  readonly bugs: RenderBugs;
}

export type RenderBugs = ReadonlyMap<string, readonly Problem[]>;

export interface ChangedRecord {
  /** Undefined if the record is removed. */
  readonly value: string | undefined;
  /**
   * The shapes that it names, as `slot@name`. Workers without one of them use the record that it
   * replaces.
   */
  readonly shapes: readonly string[];
}

/** Facts from earlier texts of nginx, on which a text depends beside its Configuration. */
export interface Circumstances {
  /**
   * The factor by which shared memory must be larger than estimated, because its records did not
   * fit.
   */
  readonly memoryFactor: number;
  /**
   * Whether nginx refused a generation. Its text is not kept, even if it has everything that is
   * needed.
   */
  isRefused(generation: string): boolean;
}

export const usualCircumstances: Circumstances = { memoryFactor: 1, isRefused: () => false };

export interface Renderer {
  /** Uses another template, with which all text is rendered again. */
  use(template: Template): void;
  /** Throws a TemplateError if the template uses an undefined name. */
  render(next: Configuration<Settings, FeatureValues>, circumstances?: Circumstances): Rendered;
  /** Returns all records. */
  readonly records: ReadonlyMap<string, string>;
  /** Returns the number of distinct location texts. */
  readonly shapeCount: number;
}
