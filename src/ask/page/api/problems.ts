/** The answer for the view Problems. */
import type { List } from "./list.ts";
import type { ObjectRef } from "./routes.ts";

export interface ProblemRow {
  readonly object: ObjectRef;
  /** The kind of Problem, as in metrics. */
  readonly kind: string;
  /** What the kind means, in a few words. */
  readonly meaning: string;
  /** A sentence: what was found and what was done. */
  readonly sentence: string;
  /** When this controller saw it first, as ISO 8601. */
  readonly since: string;
  /** The form that is served while the Problem lasts. */
  readonly meanwhile: string;
}

/** An object or key that nginx refused. */
export interface QuarantineRow {
  /** `Ingress shop/web`, or `setting log-format-upstream`. */
  readonly object: string;
  /** nginx's message. */
  readonly said: string;
}

/** Paths that answer 503, by their reason. */
export interface UnansweredRow {
  readonly cause: string;
  readonly paths: number;
  /** The host of one of these paths. */
  readonly host: string;
  readonly path: string;
}

export interface ProblemList extends List<ProblemRow> {
  readonly quarantine: readonly QuarantineRow[];
  readonly unanswered: readonly UnansweredRow[];
}
