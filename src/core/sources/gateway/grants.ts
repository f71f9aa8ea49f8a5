/**
 * Decides which references from one namespace into another are permitted. A removed grant has no
 * effect from that turn on.
 */
import type { ReferenceGrant } from "../../model/gateway/objects.ts";
import { nameOf } from "../../model/objects.ts";
import type { Problems } from "../../table/problems.ts";
import type { Turn } from "../../table/turn.ts";
import { closingProblem, type UnknownField, unknownIn } from "../../table/unknown-fields.ts";

export interface Reference {
  readonly from: { readonly group: string; readonly kind: string; readonly namespace: string };
  readonly to: { readonly group: string; readonly kind: string; readonly namespace: string; readonly name: string };
}

export class Grants {
  readonly #byNamespace = new Map<string, Map<string, ReferenceGrant>>();

  readonly #problems: Pick<Problems, "replace">;

  constructor(problems: Pick<Problems, "replace">) {
    this.#problems = problems;
  }

  /** Reads the grants of this turn. Returns the namespaces whose permissions may have changed. */
  update({ before, now }: Pick<Turn, "before" | "now">): Set<string> {
    const namespaces = new Set<string>();
    for (const { key, before: old, after } of now.snapshot.referenceGrants.changesSince(
      before.snapshot.referenceGrants,
    )) {
      const namespace = namespaceOf(after ?? old!);
      namespaces.add(namespace);
      const grants = this.#byNamespace.get(namespace) ?? new Map<string, ReferenceGrant>();
      const unknown = after === undefined ? [] : unknownIn(after);
      this.#report(key, unknown);
      // A field that is not known may restrict the permission.
      if (after === undefined || unknown.length > 0) grants.delete(key);
      else grants.set(key, after);
      if (grants.size === 0) this.#byNamespace.delete(namespace);
      else this.#byNamespace.set(namespace, grants);
    }
    return namespaces;
  }

  #report(key: string, unknown: readonly UnknownField[]): void {
    const object = { kind: "ReferenceGrant", ...nameOf(key) };
    const problems = unknown.slice(0, 1).map((one) => closingProblem(object, one, "it permits nothing"));
    this.#problems.replace(`ReferenceGrant ${key}`, problems);
  }

  /** Whether the reference is permitted. Within a namespace all references are. */
  permits({ from, to }: Reference): boolean {
    if (from.namespace === to.namespace) return true;
    for (const { spec } of this.#byNamespace.get(to.namespace)?.values() ?? []) {
      const isFrom = spec?.from?.some(
        ({ group, kind, namespace }) => group === from.group && kind === from.kind && namespace === from.namespace,
      );
      const isTo = spec?.to?.some(
        ({ group, kind, name = "" }) => group === to.group && kind === to.kind && (name === "" || name === to.name),
      );
      if (isFrom === true && isTo === true) return true;
    }
    return false;
  }
}

function namespaceOf({ metadata: { namespace = "default" } }: ReferenceGrant): string {
  return namespace;
}
