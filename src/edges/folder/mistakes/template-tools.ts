/**
 * Guesses which tool a template is written for, because the advice to render it helps only with the
 * right command.
 */

/** Keys at the top of a helmfile, and functions and values that only helmfile has. */
const helmfile =
  /^(releases|helmDefaults|helmfiles|bases|repositories):|\{\{.*(\brequiredEnv\b|\bfetchSecretValue\b|\.Environment\b|\.StateValues\b)|\{\{-?\s*env\s/;

/** A value with a dot or a dollar before it, a function or raw text, as programs in Go write. */
const go =
  /\{\{-?\s*(\(|\.|\$|\/\*|"|`|(include|template|tpl|toYaml|if|with|range|define|block|end|else|default|printf|quote|required|lookup)\b)/;

/** A variable without a dot before it, alone or with filters. */
const jinja = /\{\{-?\s*[A-Za-z_][\w.[\]'"]*\s*(\||-?\}\})|\{%/;

/** Completes "render it first" for a template with this mark. */
export function howToRender(lines: readonly string[], mark: string): string {
  if (mark === "{%") return "render it first, for example with Ansible";
  if (mark !== "{{") return "render it first";
  const written = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  if (written(helmfile)) return "render it first, for example with helmfile template";
  if (!written(go) && written(jinja)) return "render it first, for example with Ansible";
  return "render it first, for example with helm template";
}
