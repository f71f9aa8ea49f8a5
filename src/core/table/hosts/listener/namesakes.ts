/**
 * Knows which hosts of listeners have a namesake at their port, so that they are built again when
 * the namesake changes.
 */
import { catchAll } from "../../../model/configuration.ts";
import { Dependencies } from "../../../model/dependencies.ts";
import { partsOf } from "../../../model/listeners.ts";
import type { HostNames } from "../names.ts";

/** Keyed by id. */
type Listeners = Pick<ReadonlySet<string>, "has" | "size">;
type Names = Pick<HostNames, "ownerOf" | "wantedBy">;

export class Namesakes {
  readonly #users = new Dependencies();
  #listeners: Listeners = new Set();

  /**
   * Reads the listeners on shared ports. Returns the hosts among `hosts` whose listener is newly on
   * a shared port, or no longer.
   */
  begin(listeners: Listeners, hosts: Iterable<string>): readonly string[] {
    const before = this.#listeners;
    this.#listeners = listeners;
    if (before === listeners) return [];
    const isOther = (host: string) => {
      const { listener } = partsOf(host);
      return listener !== undefined && before.has(listener) !== listeners.has(listener);
    };
    return [...hosts].filter(isOther);
  }

  /** Returns the hosts of listeners for which one of these hosts is, or may be, the namesake. */
  concerned(hosts: Iterable<string>, names: Names): ReadonlySet<string> {
    const concerned = new Set<string>();
    if (this.#listeners.size === 0) return concerned;
    for (const host of hosts) {
      const { aliases, twin } = names.wantedBy(host);
      for (const name of [host, ...aliases, ...(twin === undefined ? [] : [twin])]) {
        for (const user of this.#users.usersOf(name)) concerned.add(user);
      }
    }
    return concerned;
  }

  /**
   * Returns the host that serves the name of this host of a listener, and whether it only redirects
   * from that name; undefined if there is none.
   */
  find(key: string, names: Names): { readonly host: string; readonly redirects: boolean } | undefined {
    const { listener, name } = partsOf(key);
    const isCommon = listener !== undefined && this.#listeners.has(listener);
    const host = isCommon ? (names.ownerOf(name) ?? (name === catchAll ? catchAll : undefined)) : undefined;
    this.#users.set(key, isCommon ? [...new Set([name, ...(host === undefined ? [] : [host])])] : []);
    return host === undefined ? undefined : { host, redirects: names.wantedBy(host).twin === name };
  }

  forget(key: string): void {
    this.#users.set(key, []);
  }
}
