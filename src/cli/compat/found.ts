import type { FilePlace } from "../../problem.ts";
import type { Flags } from "../flags.ts";
import type { Files } from "../tools/folder.ts";
import type { FlagInUse } from "./flags-in-use.ts";
import type { ValueInUse } from "./values.ts";

/** The things that `sluice compat` has found to judge. */
export interface Found {
  readonly files: Files;
  /** Whether the flags are those of a controller that was found, rather than taken for granted. */
  readonly flagsKnown: boolean;
  readonly flags: Flags;
  /** Those that are given, with the object that gives them. */
  readonly inUse: readonly (FlagInUse & { readonly of: string; readonly place?: FilePlace })[];
  /** All flags that count, those of this command line too. */
  readonly given: ReadonlyMap<string, string>;
  readonly values: readonly (ValueInUse & { readonly of: string })[];
  /** Whether the objects come from a live cluster, so that they have no places in files. */
  readonly live: boolean;
}
