/** The RouteSettings that rules need: equal ones of one Ingress are one object. */
import type { PolicyTarget } from "../model/gateway/backend-tls-policy.ts";
import { gatewayGroup } from "../model/gateway/objects.ts";
import type { Names } from "./names.ts";
import type { Spec } from "./spec.ts";
import type { Written } from "./written.ts";

/** Targets that one object may have. */
const mostTargets = 16;

interface Pooled {
  readonly namespace: string;
  readonly name: string;
  readonly spec: Spec;
  readonly comments: Set<string>;
  readonly targets: Omit<PolicyTarget, "group">[];
}

export class SettingsPool {
  readonly #names: Names;
  readonly #all = new Map<string, Pooled>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** The name of the object with this spec, to be named by rules. */
  named(namespace: string, wished: string, spec: Spec, comment: string): string {
    return this.#entry(namespace, wished, spec, comment).name;
  }

  /** Attaches the spec; gives false where the object has all the targets that it may have. */
  attach(namespace: string, wished: string, spec: Spec, comment: string, target: Omit<PolicyTarget, "group">): boolean {
    const entry = this.#entry(namespace, wished, spec, comment);
    if (entry.targets.length >= mostTargets) return false;
    entry.targets.push(target);
    return true;
  }

  #entry(namespace: string, wished: string, spec: Spec, comment: string): Pooled {
    // Limits count for each object, so two Ingresses do not share one.
    const key = JSON.stringify([namespace, wished, spec]);
    const entry = this.#all.get(key) ?? {
      namespace,
      name: this.#names.nameFor(`RouteSettings ${namespace}`, wished, key),
      spec,
      comments: new Set<string>(),
      targets: [],
    };
    this.#all.set(key, entry);
    entry.comments.add(comment);
    return entry;
  }

  get written(): readonly Written[] {
    return [...this.#all.values()].map(({ namespace, name, spec, comments, targets }) => {
      const targetRefs = targets.map((target) => ({ group: gatewayGroup, ...target }));
      return {
        object: {
          apiVersion: "sluice.dev/v1alpha1",
          kind: "RouteSettings",
          metadata: { name, namespace },
          spec: { ...(targetRefs.length === 0 ? {} : { targetRefs }), ...spec },
        },
        comments: [...comments].map((text) => ({ at: [], text })),
      };
    });
  }
}
