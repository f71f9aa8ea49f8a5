/**
 * An index of the controller's Ingresses by host and path. It is updated from one Snapshot to the
 * next, at a cost that depends on the changes alone. So an object under review is compared with its
 * neighbours only, however many others there are.
 */
import { catchAll } from "../model/configuration.ts";
import { Dependencies } from "../model/dependencies.ts";
import type { Ingress, IngressClass } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";
import { isOurs } from "../translate/ingress/accept.ts";
import { typedPath } from "../translate/ingress/paths.ts";
import type { TranslateOptions } from "../translate/options.ts";

export interface HostPath {
  readonly host: string;
  /** The path as it is written in the Ingress. */
  readonly path: string;
  readonly type: "exact" | "prefix";
}

export class Neighbours {
  readonly #options: TranslateOptions;
  readonly #places = new Dependencies();
  #ingresses: Table<Ingress> = Table.empty();
  #classes: Table<IngressClass> | undefined;

  constructor(options: TranslateOptions) {
    this.#options = options;
  }

  catchUp({ ingresses, ingressClasses }: Snapshot): void {
    const changed = ingresses.changesSince(this.#ingresses).map(({ key }) => key);
    const everything = ingressClasses !== this.#classes;
    for (const key of everything ? new Set([...changed, ...ingresses.keys()]) : changed) {
      const ingress = ingresses.get(key);
      const ours = ingress !== undefined && isOurs(ingress, ingressClasses, this.#options);
      this.#places.set(key, ours ? hostPaths(ingress).map(placeOf) : []);
    }
    this.#ingresses = ingresses;
    this.#classes = ingressClasses;
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
