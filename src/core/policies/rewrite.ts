/**
 * Regular expressions as paths, and the path that is sent to the backend (RS-6). Both affect the
 * whole host: one rewritten Location turns every path of the host into a regular expression;
 * `translate/` works that out.
 */
import type { Kind } from "../kinds/kind.ts";
import { isElsewhere } from "../kinds/rewrite-target.ts";
import { textOf } from "../kinds/text.ts";
import { undecoded } from "../kinds/variables.ts";
import { bool } from "../kinds/words.ts";
import { feature, field } from "./declare.ts";
import { configurationSnippet } from "./snippets.ts";

const path = textOf({ label: "letters, digits and - . _ ~ / : $", characters: "A-Za-z0-9._~/:$\\-" });

/** A path, or a URL to redirect to. */
const target: Kind<string> = {
  ...path,
  read: (text) => (isElsewhere(text) ? undecoded(path) : path).read(text),
};

export const rewrite = feature({
  name: "rewrite",
  scope: "ingress",
  live: true,
  fields: {
    target: field({
      key: "rewrite-target",
      example: "/$2",
      kind: target,
      fallback: () => "",
      risk: "Medium",
      doc: "Replaces the request path sent to the backend; $1 to $9 are groups of the Ingress path.",
    }),
    regex: field({
      key: "use-regex",
      example: "true",
      kind: bool,
      fallback: () => false,
      risk: "Low",
      doc: "Takes the paths as case-insensitive regular expressions, anchored at their start.",
    }),
  },
  notOnRoutes: { regex: "matches of type RegularExpression are regular expressions" },
  hasGroups: ({ regex, target }) => regex || target !== "",
  redirectsAway: ({ target }) => isElsewhere(target),
  // A configuration snippet runs before the rewrite, so that it has the client's path.
  rewritesLate: ({ target }, other) => other(configurationSnippet).text !== "" && target !== "" && !isElsewhere(target),
  rewritesAgain: ({ target }, other) => other(configurationSnippet).rewrites && target !== "" && !isElsewhere(target),
});
