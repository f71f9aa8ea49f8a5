/**
 * The built-in template's files as `npm run build` compiled them. A program that runs from its
 * sources has none, and compiles them at its start. In a bundle, scripts/bundle.ts puts a filled
 * map in the place of this file.
 */
export interface Prepared {
  /** The text that was compiled. A file whose text is another one is compiled when it is read. */
  readonly text: string;
  readonly program: TemplateSpecification;
}

/** Prepared files by their names in `TemplateFiles`. */
export const prepared: ReadonlyMap<string, Prepared> = new Map();
