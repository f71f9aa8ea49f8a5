/**
 * Chooses a peer by a hash of the request (RS-9.10). Like load-balance it holds for the whole
 * Upstream.
 */

import { integer } from "../kinds/numbers.ts";
import { textOf, trimmed } from "../kinds/text.ts";
import { variablesIn } from "../kinds/variables.ts";
import { field, resolvedFeature, textField, toggle } from "./declare.ts";
import { useless } from "./problems.ts";
import { chosenByCookie } from "./sessions/declaration.ts";
import { lost } from "./without-lua.ts";

export interface HashBy {
  /** Text with `$name` and `${name}` in it. */
  readonly text: string;
  /**
   * The number of peers in a group. With 0 there are no groups, and each hash leads to one peer.
   */
  readonly subset: number;
  /** Variables in the text that snippets declare, as opposed to nginx itself. */
  readonly declared: readonly string[];
}

export const upstreamHashBy = resolvedFeature({
  name: "upstream-hash-by",
  scope: "upstream",
  live: true,
  fields: {
    text: textField("upstream-hash-by", {
      example: "$request_uri",
      kind: trimmed(textOf({ label: "letters, digits, blanks and - _ $ { }", characters: "A-Za-z0-9_${} \\-" })),
      onBad: "reject",
      risk: "High",
      doc: "Text with nginx variables whose value picks the Endpoint, by consistent hashing.",
    }),
    bySubset: toggle("upstream-hash-by-subset", {
      onBad: "reject",
      doc: "Picks a group of Endpoints by the hash and one of the group at random.",
    }),
    subsetSize: field("upstream-hash-by-subset-size", {
      example: "3",
      kind: integer(),
      fallback: () => 3,
      onBad: "reject",
      doc: "Endpoints in such a group.",
    }),
  },
  resolve: ({ text, bySubset, subsetSize }, context) => {
    const { given, declares } = context;
    const subset = bySubset ? (subsetSize > 0 ? subsetSize : 3) : 0;
    const declared = variablesIn(text).filter(declares);
    const hash: HashBy | undefined = text === "" ? undefined : { text, subset, declared };
    const problems = [
      ...(text === "" && given("bySubset")
        ? [useless(context, "upstream-hash-by-subset", "upstream-hash-by is not set")]
        : []),
      ...(!(text !== "" && bySubset) && given("subsetSize")
        ? [useless(context, "upstream-hash-by-subset-size", "upstream-hash-by-subset is not on")]
        : []),
    ];
    return { value: hash, problems };
  },
  onlyWith: { text: (_, other) => chosenByCookie(other) },
  countsInCanaries: true,
  readsHeadersLate: (hash) => hash !== undefined,
  withoutLua: {
    bySubset: (hash) =>
      hash !== undefined && hash.subset > 0
        ? lost("static mode hashes to one Endpoint of all, not to a group of them")
        : undefined,
  },
});
