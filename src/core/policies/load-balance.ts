/**
 * Chooses a peer if neither session affinity nor upstream-hash-by does. It holds for the whole
 * Upstream: the oldest Ingress that uses a Service and port decides (RS-3.7).
 */

import { oneOf } from "../kinds/words.ts";
import { ofSetting, resolvedFeature } from "./declare.ts";
import { useless } from "./problems.ts";
import { chosenByCookie } from "./sessions/declaration.ts";
import { upstreamHashBy } from "./upstream-hash-by.ts";
import { lost } from "./without-lua.ts";

export interface LoadBalance {
  readonly algorithm: "round_robin" | "ewma";
}

/** Values that ingress-nginx accepts here, with the annotation that has their effect. */
const chosenBy: Readonly<Record<string, string>> = {
  chash: "upstream-hash-by",
  chashsubset: "upstream-hash-by-subset",
  sticky_balanced: "affinity",
  sticky_persistent: "affinity with affinity-mode",
};

export const loadBalance = resolvedFeature({
  name: "load-balance",
  scope: "upstream",
  live: true,
  fields: {
    algorithm: ofSetting("loadBalance", {
      example: "ewma",
      kind: oneOf(["round_robin", "ewma", "chash", "chashsubset", "sticky_balanced", "sticky_persistent"]),
      onBad: "reject",
      doc: "How an Endpoint is chosen: round_robin in turn, ewma by response time.",
    }),
  },
  resolve: ({ algorithm }, context) => {
    if (algorithm === "round_robin" || algorithm === "ewma") return { value: { algorithm } as LoadBalance };
    const value: LoadBalance = { algorithm: "round_robin" };
    if (!context.given("algorithm")) return { value };
    const why = `${algorithm} is chosen by ${chosenBy[algorithm]}; without it Endpoints are asked in turn`;
    return { value, problems: [useless(context, "load-balance", why)] };
  },
  onlyWith: {
    algorithm: ({ algorithm }, other) => {
      if (algorithm === "round_robin") return undefined;
      const isHashed = other(upstreamHashBy) !== undefined;
      return chosenByCookie(other) ?? (isHashed ? "upstream-hash-by chooses the Endpoint" : undefined);
    },
  },
  countsInCanaries: true,
  withoutLua: {
    algorithm: ({ algorithm }) =>
      algorithm === "ewma" ? lost("static mode has no ewma; requests go round in turn") : undefined,
  },
});
