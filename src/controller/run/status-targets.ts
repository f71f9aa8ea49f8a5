/**
 * Lists the Ingresses whose status is kept, in their newest form: all that are accepted, or those
 * that have changed. It also knows when to look again.
 */

import { guarded } from "../../base/guarded.ts";
import type { Ingress } from "../../core/model/objects.ts";
import { emptySnapshot, type Snapshot } from "../../core/model/snapshot.ts";
import { isOurs } from "../../core/sources/ingress/accept.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import type { Cluster } from "../../edges/cluster/cluster.ts";
import { isWhole } from "../../edges/cluster/kept.ts";
import type { StatusOptions } from "../../edges/status/syncer.ts";

export function statusTargets(
  cluster: Pick<Cluster, "snapshot" | "ingress" | "onChange">,
  accept: TranslateOptions,
): Pick<StatusOptions, "ingresses" | "changed" | "isWhole" | "onChange"> {
  let looked = emptySnapshot;
  let noticed = cluster.snapshot();

  /** Returns the previous Snapshot and the present one. */
  function look(): readonly [before: Snapshot, now: Snapshot] {
    const before = looked;
    looked = cluster.snapshot();
    return [before, looked];
  }

  function accepted(some: Iterable<readonly [string, Ingress]>, { ingressClasses }: Snapshot): readonly Ingress[] {
    const ours: Ingress[] = [];
    for (const [key, ingress] of some) {
      // An Ingress on which Sluice fails gets no status here; the Translator reports it.
      const accepted = guarded(
        () => isOurs(ingress, ingressClasses, accept),
        () => false,
      );
      if (accepted) ours.push(cluster.ingress(key) ?? ingress);
    }
    return ours;
  }

  return {
    ingresses() {
      const [, now] = look();
      return accepted(now.ingresses, now);
    },
    changed() {
      const [before, now] = look();
      // Another IngressClass may assign any of them to this controller.
      if (before.ingressClasses !== now.ingressClasses) return accepted(now.ingresses, now);
      const changes = now.ingresses.changesSince(before.ingresses);
      const present = changes.flatMap(({ key, after }) => (after === undefined ? [] : [[key, after] as const]));
      return accepted(present, now);
    },
    isWhole,
    onChange: (listener) =>
      cluster.onChange(() => {
        const before = noticed;
        noticed = cluster.snapshot();
        const same = noticed.ingresses === before.ingresses && noticed.ingressClasses === before.ingressClasses;
        if (!same) listener();
      }),
  };
}
