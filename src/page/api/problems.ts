/** What the view Problems shows. */
import type { List } from "./list.ts";
import type { ObjectRef } from "./routes.ts";

export interface ProblemRow {
  readonly object: ObjectRef;
  /** The kind of Problem, as metrics have it. */
  readonly kind: string;
  /** What was found and what was done. */
  readonly sentence: string;
  /** When this controller saw it first, as ISO 8601. */
  readonly since: string;
  /** What is served meanwhile. */
  readonly meanwhile: string;
}

/** An object or key that nginx refused. */
export interface QuarantineRow {
  /** `Ingress shop/web`, or `setting log-format-upstream`. */
  readonly object: string;
  /** What nginx reported. */
  readonly said: string;
}

/** Paths that answer 503, by why they do. */
export interface UnansweredRow {
  readonly cause: string;
  readonly paths: number;
  /** One of them. */
  readonly host: string;
  readonly path: string;
}

export interface ProblemList extends List<ProblemRow> {
  readonly quarantine: readonly QuarantineRow[];
  readonly unanswered: readonly UnansweredRow[];
}
