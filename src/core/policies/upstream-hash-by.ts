/**
 * Chooses a peer by a hash of the request (RS-9.10). Like load-balance it holds for the whole
 * Upstream.
 */

import { integer } from "../kinds/numbers.ts";
import { textOf, trimmed } from "../kinds/text.ts";
import { variablesIn } from "../kinds/variables.ts";
import { bool } from "../kinds/words.ts";
import { field, resolvedFeature } from "./declare.ts";
import { sessionAffinity } from "./sessions/declaration.ts";
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
    text: field({
      key: "upstream-hash-by",
      example: "$request_uri",
      kind: trimmed(textOf({ label: "letters, digits, blanks and - _ $ { }", characters: "A-Za-z0-9_${} \\-" })),
      fallback: () => "",
      onBad: "reject",
      risk: "High",
      doc: "Text with nginx variables whose value picks the Endpoint, by consistent hashing.",
    }),
    bySubset: field({
      key: "upstream-hash-by-subset",
      example: "true",
      kind: bool,
      fallback: () => false,
      onBad: "reject",
      risk: "Low",
      doc: "Picks a group of Endpoints by the hash and one of the group at random.",
    }),
    subsetSize: field({
      key: "upstream-hash-by-subset-size",
      example: "3",
      kind: integer(),
      fallback: () => 3,
      onBad: "reject",
      risk: "Low",
      doc: "Endpoints in such a group.",
    }),
  },
  resolve: ({ text, bySubset, subsetSize }, { ingress, given, declares }) => {
    const subset = bySubset ? (subsetSize > 0 ? subsetSize : 3) : 0;
    const declared = variablesIn(text).filter(declares);
    const hash: HashBy | undefined = text === "" ? undefined : { text, subset, declared };
    const useless = [
      ...(text === "" && given("bySubset")
        ? [["upstream-hash-by-subset", "upstream-hash-by is not set"] as const]
        : []),
      ...(!(text !== "" && bySubset) && given("subsetSize")
        ? [["upstream-hash-by-subset-size", "upstream-hash-by-subset is not on"] as const]
        : []),
    ];
    const problems = useless.map(([key, why]) => ({ object: ingress, kind: "annotation-useless", key, why }) as const);
    return { value: hash, problems };
  },
  onlyWith: {
    text: (_, other) => (other(sessionAffinity).type === "cookie" ? "affinity chooses the Endpoint" : undefined),
  },
  countsInCanaries: true,
  readsHeadersLate: (hash) => hash !== undefined,
  withoutLua: {
    bySubset: (hash) =>
      hash !== undefined && hash.subset > 0
        ? lost("static mode hashes to one Endpoint of all, not to a group of them")
        : undefined,
  },
});
