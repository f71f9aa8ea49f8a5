/** Translates the files of a tool once, as a controller with the same flags would. */
import type { Library } from "../../manifests/library.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { TranslateOptions } from "../../translate/options.ts";
import { type Translation, translate } from "../../translate/translator.ts";
import { emptyInputs } from "../../translate/turn.ts";
import type { Command, Flags } from "../flags.ts";
import { translateOptions } from "../options.ts";
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
