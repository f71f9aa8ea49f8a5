/**
 * The hosts of refused routes. Their paths would fall to another route of the host, such as one for
 * `/`, which lacks the guards of the refused route but may lead to the same Service. So the other
 * routes of the namespace are closed on these hosts. Those of other namespaces are not: no tenant
 * could be safe from the routes of another one.
 */
import { nameOf } from "../../../model/objects.ts";
import { intersect } from "../hostnames.ts";

export interface RefusedRoute {
  /** Ids of the listeners to which it would be attached, with its hosts there. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
}

/** Beyond so many routes of a namespace, or hosts on a listener, all hosts count as refused. */
export const mostRefused = 64;

export class RefusedHosts {
  /** By namespace, and then by `Kind namespace/name`. */
  readonly #routes = new Map<string, Map<string, RefusedRoute>>();
  /** By namespace and listener, made when it is first asked for. */
  readonly #hosts = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  readonly #changed = new Set<string>();

  begin(): void {
    this.#changed.clear();
  }

  /** Namespaces whose refused hosts may have changed in this turn. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  /** Notes a refused route of this kind and `namespace/name`; undefined if it is not refused. */
  set(kind: string, key: string, route: RefusedRoute | undefined): void {
    const { namespace = "default" } = nameOf(key);
    const called = `${kind} ${key}`;
    const all = this.#routes.get(namespace) ?? new Map<string, RefusedRoute>();
    const before = all.get(called);
    if (route === undefined && before === undefined) return;
    if (JSON.stringify([...(route?.hosts ?? [])]) === JSON.stringify([...(before?.hosts ?? [])])) return;
    if (route === undefined) all.delete(called);
    else all.set(called, route);
    if (all.size === 0) this.#routes.delete(namespace);
    else this.#routes.set(namespace, all);
    this.#hosts.delete(namespace);
    this.#changed.add(namespace);
  }

  /** Whether a refused route of the namespace has the host, or part of it, on the listener. */
  has(namespace: string, listener: string, host: string): boolean {
    const routes = this.#routes.get(namespace);
    if (routes === undefined) return false;
    if (routes.size > mostRefused) return true;
    const known = this.#hosts.get(namespace) ?? hostsOf([...routes.values()]);
    this.#hosts.set(namespace, known);
    const hosts = known.get(listener);
    return hosts !== undefined && (hosts.size > mostRefused || [...hosts].some((one) => intersect(one, host)));
  }
}

function hostsOf(routes: readonly RefusedRoute[]): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  for (const { hosts } of routes) {
    for (const [listener, names] of hosts) {
      const known = all.get(listener) ?? new Set<string>();
      for (const name of names) if (known.size <= mostRefused) known.add(name);
      all.set(listener, known);
    }
  }
  return all;
}
