/**
 * An index of the controller's Ingresses by host and path, with what each multiplies. It is updated
 * from one Snapshot to the next, at a cost that depends on the changes alone. So an object under
 * review is compared with its neighbours only, however many others there are.
 */

import { catchAll } from "../../core/model/configuration.ts";
import { Dependencies } from "../../core/model/dependencies.ts";
import { type Ingress, type IngressClass, keyOf } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import type { Reading } from "../../core/policies/reading.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { isOurs } from "../../core/sources/ingress/accept.ts";
import { IngressBudget } from "../../core/sources/ingress/budget.ts";
import { typedPath } from "../../core/sources/ingress/paths.ts";
import type { TranslateOptions } from "../../core/table/options.ts";

export interface HostPath {
  readonly host: string;
  /** The path as it is written in the Ingress. */
  readonly path: string;
  readonly type: "exact" | "prefix";
}

export class Neighbours {
  readonly #options: TranslateOptions;
  readonly #places = new Dependencies();
  readonly #budget: IngressBudget;
  #ingresses: Table<Ingress> = Table.empty();
  #classes: Table<IngressClass> | undefined;

  constructor(options: TranslateOptions) {
    this.#options = options;
    this.#budget = new IngressBudget(options);
  }

  catchUp(snapshot: Snapshot): void {
    const { ingresses, ingressClasses } = snapshot;
    const changed = ingresses.changesSince(this.#ingresses).map(({ key }) => key);
    const everything = ingressClasses !== this.#classes;
    for (const key of everything ? new Set([...changed, ...ingresses.keys()]) : changed) {
      const ingress = ingresses.get(key);
      const ours = ingress !== undefined && isOurs(ingress, ingressClasses, this.#options);
      this.#places.set(key, ours ? hostPaths(ingress).map(placeOf) : []);
      this.#budget.set(key, ours ? ingress : undefined, snapshot);
    }
    this.#ingresses = ingresses;
    this.#classes = ingressClasses;
  }

  /** Returns the reading of an Ingress, closed if its namespace has no room for it. */
  within(reading: Reading, ingress: Ingress, snapshot: Snapshot, settings: Settings): Reading {
    const key = keyOf(ingress);
    this.#budget.set(key, ingress, snapshot);
    this.#budget.settle(settings);
    const within = this.#budget.within(reading, ingress, settings);
    const present = this.#ingresses.get(key);
    const ours = present !== undefined && isOurs(present, snapshot.ingressClasses, this.#options);
    this.#budget.set(key, ours ? present : undefined, snapshot);
    return within;
  }

  /** Returns keys of the Ingresses that have this host and path, with any path type. */
  at(place: HostPath): Iterable<string> {
    return this.#places.usersOf(placeOf(place));
  }
}

/** Counts only rules with paths: the `/` that every host has by default belongs to no Ingress. */
export function hostPaths({ spec }: Ingress): HostPath[] {
  return (spec?.rules ?? []).flatMap(({ host = "", http }) =>
    (http?.paths ?? []).map((written) => {
      const { text, type } = typedPath(written);
      return { host: host === "" ? catchAll : host.toLowerCase(), path: text, type };
    }),
  );
}

const placeOf = ({ host, path }: HostPath): string => `${host} ${path}`;
