/** What a rendering of a Configuration is, in either mode: text with its files, and records. */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Configuration } from "../model/configuration.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "../settings/registry.ts";
import type { RenderedFile } from "./rendered-files.ts";
import type { Template } from "./template.ts";

export interface RenderedText {
  readonly conf: string;
  readonly generation: string;
  readonly files: readonly RenderedFile[];
  /** The shapes in it, each as `slot@name`. */
  readonly shapes: ReadonlySet<string>;
  /**
   * Hashes of what it was made of, by what people call it: two texts differ because some of these
   * differ.
   */
  readonly parts: Readonly<Record<string, string>>;
  /** Whose text stands at a line of `conf`. */
  readonly ownersAt: OwnersAt;
}

/** Keys of objects, by kind and name. Lines count from 1, as nginx counts them. */
export type OwnersAt = (line: number) => ReadonlySet<string>;

export interface Rendered {
  readonly text: RenderedText;
  /** Only records that changed since the last turn. */
  readonly records: ReadonlyMap<string, ChangedRecord>;
  /** Files that nginx opens at requests, which must be there before the records are published. */
  readonly opened: readonly RenderedFile[];
  /** By host, what is said of the owners whose host could not be rendered, because of a bug. */
  readonly bugs: RenderBugs;
}

export type RenderBugs = ReadonlyMap<string, readonly Problem[]>;

export interface ChangedRecord {
  /** Undefined: the record is gone. */
  readonly value: string | undefined;
  /** The shapes it names, as `slot@name`: workers that lack one go by the record it replaces. */
  readonly shapes: readonly string[];
}

/** What a text depends on beside its Configuration, because of what nginx did with earlier ones. */
export interface Circumstances {
  /**
   * How many times larger than estimated shared memory must be, because its records did not fit.
   */
  readonly memoryFactor: number;
  /**
   * Whether nginx refused a generation: its text is not kept for a Configuration that asks for
   * less.
   */
  isRefused(generation: string): boolean;
}

export const usualCircumstances: Circumstances = { memoryFactor: 1, isRefused: () => false };

export interface Renderer {
  /** All text is rendered again with another template. */
  use(template: Template): void;
  /** Throws a TemplateError where the template asks for what is not there. */
  render(next: Configuration<Settings, FeatureValues>, circumstances?: Circumstances): Rendered;
  /** All records there are. */
  readonly records: ReadonlyMap<string, string>;
  /** How many distinct texts locations have. */
  readonly shapeCount: number;
}
