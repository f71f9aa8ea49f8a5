/** Translates the files of a tool once, as a controller with the same flags would. */

import { translateOptions } from "../controller/flags/options.ts";
import type { Command, Flags } from "../controller/flags.ts";
import type { Snapshot } from "../core/model/snapshot.ts";
import type { TranslateOptions } from "../core/table/options.ts";
import { type Translation, translate } from "../core/table/translator.ts";
import { emptyInputs } from "../core/table/turn.ts";
import type { Library } from "../edges/folder/library.ts";
import { type Files, newLibrary, unmadeCertificate } from "./folder.ts";

export interface Translated extends Translation {
  /** Has the mistakes in the files themselves. */
  readonly library: Library;
  readonly snapshot: Snapshot;
  readonly options: TranslateOptions;
}

export function translated(files: Files, flags: Flags, as: Command): Translated {
  const library = newLibrary(flags);
  library.change(files);
  const { snapshot } = library;
  const options = translateOptions(flags, as, undefined);
  return { library, snapshot, options, ...translate({ ...emptyInputs, snapshot }, options, unmadeCertificate) };
}
