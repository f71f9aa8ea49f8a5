/**
 * Regular expressions as paths, and the path the backend sees (RS-6). Both act on the whole host: one rewritten Location
 * turns every path of the host into a regular expression, which `translate/` works out.
 */
import type { Kind } from "../kinds/kind.ts";
import { textOf } from "../kinds/text.ts";
import { undecoded } from "../kinds/variables.ts";
import { bool } from "../kinds/words.ts";
import { feature, field } from "./declare.ts";
import { isPathVariable, isRequestVariable } from "./variables.ts";

const path = textOf({ label: "letters, digits and - . _ ~ / : $", characters: "A-Za-z0-9._~/:$\\-" });

/** A path, or a URL to redirect to. */
const target: Kind<string> = {
  ...path,
  read: (text) => (isElsewhere(text) ? undecoded(path) : path).read(text),
  good: ["/$2", "/app$uri", "https://other.example/$1"],
  bad: [...path.bad, "/a?b=c", "https://other.example$uri"],
};

export const rewrite = feature({
  name: "rewrite",
  scope: "ingress",
  live: true,
  fields: {
    target: field({
      key: "rewrite-target",
      kind: target,
      fallback: () => "",
      risk: "Medium",
      doc: "Replaces the request path sent to the backend; $1 to $9 are groups of the Ingress path.",
    }),
    regex: field({
      key: "use-regex",
      kind: bool,
      fallback: () => false,
      risk: "Low",
      doc: "Takes the paths as case-insensitive regular expressions, anchored at their start.",
    }),
  },
});

/** Variables that the target may name: a redirect tells them to whoever is there. */
export function targetVariables(target: string): (name: string) => boolean {
  return isElsewhere(target) ? isRequestVariable : isPathVariable;
}

/**
 * Whether nginx is to rewrite the path in the location itself, in dynamic mode too: a configuration snippet stands before it and
 * sees the path as the client asked for it.
 */
export function rewritesLate({ rewrite: { target }, configurationSnippet: { text } }: RewritesLate): boolean {
  return text !== "" && target !== "" && !isElsewhere(target);
}

interface RewritesLate {
  readonly rewrite: { readonly target: string };
  readonly configurationSnippet: { readonly text: string };
}

/** nginx answers such a rewrite with a redirect (RS-6.9). */
export function isElsewhere(target: string): boolean {
  return /^(https?:\/\/|\$scheme)/.test(target);
}
