import type { Flags } from "../../controller/flags.ts";
import type { FilePlace } from "../../core/model/problem.ts";
import type { FlagInUse } from "../../tools/flags-in-use.ts";
import type { Files } from "../../tools/folder.ts";
import type { ValueInUse } from "./chart/values.ts";
import type { Outside } from "./outside.ts";

/** Everything that `sluice compat` has found to judge. */
export interface Found {
  readonly files: Files;
  /** Whether the flags come from a controller that was found, and not from assumptions. */
  readonly flagsKnown: boolean;
  readonly flags: Flags;
  /** The given flags, with the object that gives each. */
  readonly inUse: readonly (FlagInUse & { readonly of: string; readonly place?: FilePlace })[];
  /** The controller's image, with its tag; undefined if nothing names it. */
  readonly image: string | undefined;
  /** Paths at which the controller has volumes; undefined if nothing tells. */
  readonly mounts: readonly string[] | undefined;
  /** Whether ingress-nginx downloads databases of GeoIP. */
  readonly downloadsGeoip: boolean;
  /** All effective flags, including those of this command line. */
  readonly given: ReadonlyMap<string, string>;
  readonly values: readonly (ValueInUse & { readonly of: string })[];
  /** Annotations outside of Ingresses, each group of which is an Ingress among the files. */
  readonly outside: Outside;
  /** Whether the objects come from a live cluster and so have no line in a file. */
  readonly live: boolean;
}
