/**
 * The severity of a Problem: `error` means that something is not served as written, and `warning`
 * that something written merely has no effect.
 */
import type { Problem } from "./problem.ts";

export type Severity = "error" | "warning";

export function severityOf(problem: Problem): Severity {
  switch (problem.kind) {
    case "annotation-unknown":
    case "annotation-removed":
    case "annotation-useless":
    case "annotation-doubtful":
    case "annotation-partly":
    case "field-doubtful":
    case "neighbours-changed":
    case "setting-unknown":
    case "setting-useless":
    case "setting-doubtful":
    case "memory-short":
    case "certificate-doubtful":
      return "warning";
    case "manifest-unusable":
      return (problem.fatal || problem.field === "") && problem.isEqual !== true ? "error" : "warning";
    default:
      return "error";
  }
}
