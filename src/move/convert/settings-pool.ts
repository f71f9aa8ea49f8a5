/** Collects the RouteSettings that rules need. Equal settings of one Ingress become one object. */
import type { PolicyTarget } from "../../core/model/gateway/backend-tls-policy.ts";
import { gatewayGroup } from "../../core/model/gateway/objects.ts";
import type { Names } from "./names.ts";
import type { Spec } from "./spec.ts";
import type { Written } from "./written.ts";

/** The most targets that one object may have. */
const mostTargets = 16;

/** RouteSettings that rules need. */
export interface Wanted {
  readonly namespace: string;
  /**
   * The object that they come from, such as an Ingress. Equal settings are shared only if they come
   * from the same object.
   */
  readonly of: string;
  /** The name that they get unless other RouteSettings already have it. */
  readonly wished: string;
  readonly spec: Spec;
  readonly comment: string;
  /** The name that it gets if other RouteSettings have the wanted one. */
  readonly otherwise?: string;
}

interface Pooled {
  readonly namespace: string;
  readonly of: string;
  readonly name: string;
  readonly spec: Spec;
  readonly comments: Set<string>;
  readonly targets: Omit<PolicyTarget, "group">[];
}

export class SettingsPool {
  readonly #names: Names;
  readonly #all = new Map<string, Pooled>();

  /** Says why an object has a key that its Ingress does not have; undefined if it does. */
  readonly #reasonOf: (of: string, key: string) => string | undefined;

  constructor(names: Names, reasonOf: (of: string, key: string) => string | undefined) {
    this.#names = names;
    this.#reasonOf = reasonOf;
  }

  /** Returns the name of the object with this spec, for rules to refer to. */
  named(wanted: Wanted): string {
    return this.#entry(wanted).name;
  }

  /**
   * Attaches the spec to the target. Returns false if the object already has as many targets as
   * it may have.
   */
  attach(wanted: Wanted, target: Omit<PolicyTarget, "group">): boolean {
    const entry = this.#entry(wanted);
    if (entry.targets.length >= mostTargets) return false;
    entry.targets.push(target);
    return true;
  }

  #entry({ namespace, of, wished, spec, comment, otherwise }: Wanted): Pooled {
    // Rate limits count for each object, so two Ingresses do not share one.
    const key = JSON.stringify([namespace, of, spec]);
    const entry = this.#all.get(key) ?? {
      namespace,
      of,
      name: this.#names.nameFor(`RouteSettings ${namespace}`, wished, key, otherwise),
      spec,
      comments: new Set<string>(),
      targets: [],
    };
    this.#all.set(key, entry);
    entry.comments.add(comment);
    return entry;
  }

  get written(): readonly Written[] {
    return [...this.#all.values()].map(({ namespace, of, name, spec, comments, targets }) => {
      const targetRefs = targets.map((target) => ({ group: gatewayGroup, ...target }));
      return {
        object: {
          apiVersion: "sluice.dev/v1alpha1",
          kind: "RouteSettings",
          metadata: { name, namespace },
          spec: { ...(targetRefs.length === 0 ? {} : { targetRefs }), ...sorted(spec) },
        },
        comments: [
          ...[...comments].map((text) => ({ at: [], text })),
          ...Object.keys(spec).flatMap((key) => {
            const text = this.#reasonOf(of, key);
            return text === undefined ? [] : [{ at: ["spec", key], text }];
          }),
        ],
      };
    });
  }
}

function sorted(spec: Spec): Spec {
  return Object.fromEntries(Object.entries(spec).sort(([one], [other]) => (one < other ? -1 : 1)));
}
