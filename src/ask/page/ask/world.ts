/**
 * The state in which a request is decided: what a controller serves, or what it would serve from
 * some files.
 */

import type { Unread } from "../../../core/model/gist.ts";
import type { FilePlace, Problem } from "../../../core/model/problem.ts";
import type { Severity } from "../../../core/model/problem-kinds.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import type { TranslateOptions } from "../../../core/table/options.ts";
import type { Failures } from "../../../edges/failures.ts";
import type { DecideOptions } from "../../matcher/decide.ts";
import type { Served } from "../../matcher/host.ts";
import type { AskedRequest } from "../../matcher/request.ts";

export interface AskedWorld {
  readonly served: Served;
  readonly snapshot: Snapshot;
  readonly options: TranslateOptions;
  readonly decide: DecideOptions;
  /**
   * The source of the flags that decide which class is served: `flags of Deployment
   * ingress-nginx/controller`.
   */
  readonly flagsOf: string;
  /** Whether the Ingress with this key is served here. */
  readonly isServed: (key: string) => boolean;
  /** Problems of the translation. */
  readonly problems: readonly Problem[];
  /** All Problems of objects, each with its place if it comes from a file. */
  readonly findings: readonly Finding[];
  /** Absent for files, which no nginx serves. */
  readonly failures?: Failures;
  /** Objects of files that have a mistake and cannot be read. */
  readonly unread: readonly Unread[];
}

export interface Finding {
  readonly severity: Severity;
  /** Undefined for an object that does not come from a file. */
  readonly at: FilePlace | undefined;
  readonly problem: Problem;
}

/** All values from which an answer is made. */
export interface Explaining {
  readonly world: AskedWorld;
  readonly asked: AskedRequest;
  readonly now: Date;
}
