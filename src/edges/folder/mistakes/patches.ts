/**
 * Recognises patches among the files of a folder. kustomize, a post-renderer of Helm or kubectl
 * patch applies them to whole objects, so a patch by itself lacks what such an object needs.
 */

import { isMapping } from "../../../core/model/mapping.ts";
import type { Finding } from "../../../core/schema/findings.ts";

const instead = "check what kubectl kustomize, or your tool, makes of it";
const operations = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/** Completes a sentence about a list of operations; undefined for any other value. */
export function jsonPatch(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const isOperation = (one: unknown) =>
    isMapping(one) && operations.has(String(one.op)) && typeof one.path === "string" && one.path.startsWith("/");
  return value.every(isOperation) ? `this is a JSON patch and not an object; ${instead}` : undefined;
}

/**
 * Returns the findings with a hint that the object may be a patch, if it looks like one and
 * cannot be used.
 */
export function withPatchHint(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  const directive = findings.find(({ path }) => String(path.at(-1)).startsWith("$"));
  if (directive !== undefined) {
    const why = `it is a directive of a strategic merge patch, so this is not a whole object; ${instead}`;
    const fatal = findings.some((one) => one.fatal);
    return [{ ...directive, why, fatal }];
  }
  const lack = findings.find(({ lacks, path }) => lacks !== undefined && path.length <= 1);
  const hint = `if this is a patch, ${instead}`;
  return findings.map((one) => (one === lack ? { ...one, why: `${one.why}; ${hint}` } : one));
}
