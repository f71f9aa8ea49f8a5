/**
 * Collects references from one namespace to another, and writes the ReferenceGrants that permit
 * them.
 */
import { gatewayGroup } from "../../core/model/gateway/objects.ts";
import type { HostRoute } from "./routes.ts";
import { referring, type Spec } from "./spec.ts";
import { chunksOf } from "./split.ts";
import type { Written } from "./written.ts";

/** One end of a reference. */
interface From {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

interface To {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The most targets that one grant may name. */
const mostTargets = 16;

/** Collects references. Those within one namespace need no grant. */
export class GrantsNeeded {
  readonly #byTarget = new Map<string, { readonly to: To; readonly from: Map<string, From> }>();

  add(from: From, to: To): void {
    if (from.namespace === to.namespace) return;
    const key = JSON.stringify([to.namespace, to.kind, to.name]);
    const entry = this.#byTarget.get(key) ?? { to, from: new Map<string, From>() };
    this.#byTarget.set(key, entry);
    entry.from.set(JSON.stringify(from), from);
  }

  /** Adds the Services of a route. */
  addBackends({ namespace, rules }: Pick<HostRoute, "namespace" | "rules">): void {
    for (const { backendRefs } of rules) {
      for (const { namespace: theirs = namespace, name } of backendRefs) {
        this.add(
          { group: gatewayGroup, kind: "HTTPRoute", namespace },
          { group: "", kind: "Service", namespace: theirs, name },
        );
      }
    }
  }

  /** Adds the certificate of a listener; `by` is the object that has the listener. */
  addSecret(by: Omit<From, "group">, secret: string | undefined): void {
    if (secret === undefined) return;
    const [namespace = "", name = ""] = secret.split("/");
    this.add({ group: gatewayGroup, ...by }, { group: "", kind: "Secret", namespace, name });
  }

  /** Adds the objects of other namespaces that these values name. */
  addReferences(namespace: string, spec: Spec): void {
    for (const [key, kind] of Object.entries(referring)) {
      const [theirs = "", name] = (spec[key] ?? "").split("/");
      if (name === undefined) continue;
      this.add({ group: "sluice.dev", kind: "RouteSettings", namespace }, { group: "", kind, namespace: theirs, name });
    }
  }

  /**
   * Returns one grant for each namespace and set of referring namespaces, so that a Gateway with a
   * hundred Secrets needs few objects.
   */
  written(name: string): readonly Written[] {
    const bySource = Map.groupBy(this.#byTarget.values(), ({ to, from }) =>
      JSON.stringify([to.namespace, [...from.keys()].sort()]),
    );
    const used = new Map<string, number>();
    return [...bySource.values()]
      .flatMap((all) => chunksOf(all, mostTargets))
      .map((entries): Written => {
        const { namespace } = entries[0]!.to;
        const nth = (used.get(namespace) ?? 0) + 1;
        used.set(namespace, nth);
        const from = [...entries[0]!.from.values()];
        const to = entries.map((entry) => ({ group: entry.to.group, kind: entry.to.kind, name: entry.to.name }));
        const users = from.map((one) => `${one.kind} objects of namespace ${one.namespace}`).join(" and ");
        return {
          object: {
            apiVersion: `${gatewayGroup}/v1`,
            kind: "ReferenceGrant",
            metadata: { name: nth === 1 ? name : `${name}-${nth}`, namespace },
            spec: { from, to: to.sort((one, other) => (one.name < other.name ? -1 : 1)) },
          },
          comments: [{ at: [], text: `lets ${users} use what is named here` }],
        };
      });
  }
}
