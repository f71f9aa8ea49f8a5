/**
 * Keeps the rows of the view Routes up to date: of ten thousand hosts it makes those rows again
 * whose host, listener, endpoints or EndpointSlices have changed. A row depends on nothing else.
 */

import { catchAll, type Server } from "../../../core/model/configuration.ts";
import { serverKey } from "../../../core/model/listeners.ts";
import type { EndpointSlice } from "../../../core/model/objects.ts";
import { emptySnapshot, type Snapshot } from "../../../core/model/snapshot.ts";
import { Table } from "../../../core/model/table.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import type { Failures } from "../../../edges/failures.ts";
import { routeOf, unreadyIn } from "../../routes/routes.ts";
import type { RowChanges } from "../lists/listing.ts";
import type { Served } from "../source.ts";
import { type PlainRoute, rowOf } from "./routes.ts";

export class RouteRows {
  #served: Pick<Served, "servers" | "upstreams" | "listenerPorts"> = {
    servers: Table.empty(),
    upstreams: Table.empty(),
    listenerPorts: Table.empty(),
  };
  #slices: Snapshot["endpointSlices"] = emptySnapshot.endpointSlices;
  /** Keyed like the servers. */
  readonly #rows = new Map<string, readonly PlainRoute[]>();
  readonly #users = new Users();
  /** Addresses that get no requests, by Service. */
  readonly #unready = new Map<string, number>();
  readonly #addresses = new WeakMap<PlainRoute, readonly string[]>();
  readonly #failures: Failures;
  #failed = -1;

  constructor(failures: Failures) {
    this.#failures = failures;
  }

  /** Returns the removed rows and the new ones. */
  renew(served: Served, { endpointSlices }: Pick<Snapshot, "endpointSlices">): RowChanges<PlainRoute> {
    const { servers, upstreams, listenerPorts } = served;
    const stale = new Set<string>();
    const touch = (name: string) => {
      for (const key of this.#users.of(name)) stale.add(key);
    };
    for (const service of this.#renewUnready(endpointSlices)) touch(service);
    for (const { key } of upstreams.changesSince(this.#served.upstreams)) touch(key);
    for (const { key, before, after } of servers.changesSince(this.#served.servers)) {
      stale.add(key);
      for (const name of namesOf(before)) this.#users.remove(name, key);
      for (const name of namesOf(after)) this.#users.add(name, key);
    }
    // A route without hostnames has the hostname of its listener.
    for (const { before, after } of listenerPorts.changesSince(this.#served.listenerPorts))
      for (const { id } of [...(before?.listeners ?? []), ...(after?.listeners ?? [])])
        stale.add(serverKey({ listener: id, name: catchAll }));
    if (this.#failures.revision !== this.#failed)
      for (const [key, rows] of this.#rows) if (rows.some((row) => this.#isOutdated(row))) stale.add(key);
    this.#failed = this.#failures.revision;
    this.#served = { servers, upstreams, listenerPorts };
    return this.#remake(stale, served);
  }

  /** Whether a row has begun to fail, or fails no longer. */
  #isOutdated(row: PlainRoute): boolean {
    if (row.state !== "ok" && row.state !== "failing") return false;
    const { countedHost: host, owner, path, state } = row;
    const addresses = this.#addresses.get(row) ?? [];
    return this.#failures.isFailing({ host, owner: owner.name, path }, addresses) !== (state === "failing");
  }

  #remake(keys: ReadonlySet<string>, served: Served): RowChanges<PlainRoute> {
    const gone = new Set<PlainRoute>();
    const fresh: PlainRoute[] = [];
    for (const key of keys) {
      for (const row of this.#rows.get(key) ?? []) gone.add(row);
      this.#rows.delete(key);
      const server = served.servers.get(key);
      if (server === undefined) continue;
      const rows = server.locations.map((_, at) => {
        const route = routeOf(server, at, served, this.#unready);
        const row = rowOf(route, { server, at }, this.#failures);
        this.#addresses.set(row, route.endpoints);
        return row;
      });
      this.#rows.set(key, rows);
      fresh.push(...rows);
    }
    return { gone, fresh };
  }

  /** Returns the Services with another number of addresses that get no requests. */
  #renewUnready(slices: Snapshot["endpointSlices"]): ReadonlySet<string> {
    const services = new Set<string>();
    const add = (slice: EndpointSlice | undefined, sign: 1 | -1) => {
      const { service, count } = slice === undefined ? nothing : unreadyIn(slice);
      if (count === 0) return;
      services.add(service);
      const sum = (this.#unready.get(service) ?? 0) + sign * count;
      if (sum === 0) this.#unready.delete(service);
      else this.#unready.set(service, sum);
    };
    for (const { before, after } of slices.changesSince(this.#slices)) {
      add(before, -1);
      add(after, 1);
    }
    this.#slices = slices;
    return services;
  }
}

/**
 * The keys of servers, by the upstreams and Services that their rows depend on. Nearly all have one
 * user, which is kept without a Set.
 */
class Users {
  readonly #keys = new Map<string, string | Set<string>>();

  of(name: string): Iterable<string> {
    const keys = this.#keys.get(name) ?? [];
    return typeof keys === "string" ? [keys] : keys;
  }

  add(name: string, key: string): void {
    const keys = this.#keys.get(name);
    if (keys === undefined) this.#keys.set(name, key);
    else if (typeof keys === "string") this.#keys.set(name, new Set([keys, key]));
    else keys.add(key);
  }

  remove(name: string, key: string): void {
    const keys = this.#keys.get(name);
    if (typeof keys === "object") keys.delete(key);
    if (keys === key || (typeof keys === "object" && keys.size === 0)) this.#keys.delete(name);
  }
}

const nothing = { service: "", count: 0 };

/** Returns the names of everything else on which the rows of a server depend. */
function namesOf(server: Server<FeatureValues> | undefined): ReadonlySet<string> {
  const names = (server?.locations ?? []).flatMap((location) => {
    const { backends, canaries } = location;
    return [...backends.flatMap(({ upstream, key }) => [upstream, key]), ...canaries.map((one) => one.upstream)];
  });
  return new Set(names);
}
