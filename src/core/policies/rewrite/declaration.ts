/**
 * Regular expressions as paths, and the path that is sent to the backend (RS-6). Both affect the
 * whole host: one rewritten Location turns every path of the host into a regular expression;
 * `table/` works that out. The filter URLRewrite replaces a path or a prefix of its match, without
 * groups, so that the two have no value in common.
 */
import type { Kind } from "../../kinds/kind.ts";
import { isElsewhere } from "../../kinds/rewrite-target.ts";
import { textOf } from "../../kinds/text.ts";
import { undecoded } from "../../kinds/variables.ts";
import { feature, textField, toggle } from "../declare.ts";
import type { Snippet } from "../snippets.ts";
import { filter } from "./filter.ts";

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
    target: textField("rewrite-target", {
      example: "/$2",
      kind: target,
      risk: "Medium",
      doc: "Replaces the request path sent to the backend; $1 to $9 are groups of the Ingress path.",
    }),
    regex: toggle("use-regex", {
      doc: "Takes the paths as case-insensitive regular expressions, anchored at their start.",
    }),
  },
  notOnRoutes: { regex: "matches of type RegularExpression are regular expressions" },
  ofRoutes: { filters: [filter] },
});

type Values = {
  readonly rewrite: { readonly target: string; readonly regex: boolean };
  readonly configurationSnippet: Pick<Snippet, "text" | "rewrites">;
};

/** Whether its paths are patterns, whose groups other texts may name. */
export const hasGroups = ({ rewrite: { regex, target } }: Pick<Values, "rewrite">): boolean => regex || target !== "";

/** Whether nginx answers with a redirect, so that no backend gets the request. */
export const redirectsAway = ({ rewrite: { target } }: Pick<Values, "rewrite">): boolean => isElsewhere(target);

const changesPath = (target: string): boolean => target !== "" && !isElsewhere(target);

/**
 * Whether nginx rewrites the path inside the location, in dynamic mode too. A configuration snippet
 * runs before the rewrite, so that it has the client's path.
 */
export const rewritesLate = ({ rewrite: { target }, configurationSnippet }: Values): boolean =>
  configurationSnippet.text !== "" && changesPath(target);

/** Whether that starts from a path that the author's text has changed. */
export const rewritesAgain = ({ rewrite: { target }, configurationSnippet }: Values): boolean =>
  configurationSnippet.rewrites && changesPath(target);
