/**
 * Assigns the addresses of the pool to Gateways. A Gateway keeps an address that it has as long as
 * it may. Then each one, the oldest first, gets the addresses that it requests, or else the lowest
 * free one.
 */

import { shown } from "../../kinds/kind.ts";
import type { Gateway, GatewayAddress } from "../../model/gateway/objects.ts";
import { canonical } from "../../model/ip-address.ts";
import { keyOf } from "../../model/objects.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import type { GatewayOptions } from "../../table/options.ts";
import { byCreation } from "./creation.ts";
import { unservedRoutability } from "./listener/closed.ts";

export interface Assignment {
  /**
   * The addresses on which nginx listens for the Gateway. An empty list means none, or all of this
   * machine if Gateways share its ports.
   */
  readonly addresses: readonly string[];
  /** The unsupported type of a requested address. */
  readonly unsupported: Problem | undefined;
  /** The reason why it does not have all requested addresses, or none at all. */
  readonly lacking:
    | { readonly reason: "AddressNotUsable" | "AddressNotAssigned" | "NoResources"; readonly problem: Problem }
    | undefined;
  /**
   * The ports and addresses of its own Service, if it has one. nginx then listens on all addresses,
   * at target ports of that Service.
   */
  readonly own?: ServicePlace;
  /** Whether it has the same addresses as Ingresses. */
  readonly ofIngresses?: true;
  /** The event for which it waits, in words. Waiting is not a mistake. */
  readonly waiting?: string;
}

/** The ports and addresses at which clients reach a Gateway with a Service of its own. */
export interface ServicePlace {
  /** Target ports by `portKey`. */
  readonly targets: Readonly<Record<string, number>>;
  readonly addresses: readonly GatewayAddress[];
}

/**
 * Returns the assignments by `namespace/name`. `local` are the addresses on which nginx can listen
 * here; undefined stands for all.
 */
export function assignAddresses(
  gateways: readonly Gateway[],
  options: GatewayOptions,
  local: ReadonlySet<string> | undefined,
): ReadonlyMap<string, Assignment> {
  const pool = new Pool(options, local);
  const oldest = gateways.toSorted(byCreation);
  for (const gateway of oldest) pool.keep(gateway);
  for (const gateway of oldest) pool.request(gateway);
  return new Map(oldest.map((gateway) => [keyOf(gateway), pool.assign(gateway)]));
}

/**
 * Returns the assignment of the Gateway that shares the addresses of Ingresses. Only the writer of
 * statuses knows these.
 */
export function addressesOfIngresses(gateway: Gateway): Assignment {
  const object = nameOf(gateway);
  const unsupported = unsupportedType(gateway, object);
  const requested = requestsOf(gateway).find(({ value }) => value !== undefined);
  const why = "the shared Gateway has the addresses of Ingresses";
  const done = "nginx listens on those";
  const lacking =
    requested === undefined
      ? undefined
      : ({
          reason: "AddressNotUsable",
          problem: { object, kind: "claim-lost", field: requested.field, why, done },
        } as const);
  return { addresses: [], unsupported, lacking, ofIngresses: true };
}

class Pool {
  readonly #options: GatewayOptions;
  readonly #all: readonly string[];
  readonly #local: ReadonlySet<string> | undefined;
  readonly #owners = new Map<string, string>();

  constructor(options: GatewayOptions, local: ReadonlySet<string> | undefined) {
    this.#options = options;
    this.#all = options.addresses.map(canonical);
    this.#local = local;
  }

  keep(gateway: Gateway): void {
    const requested = requestsOf(gateway);
    const given = gateway.status?.addresses ?? [];
    for (const { value = "" } of given.slice(0, Math.max(1, requested.length))) {
      const address = canonical(value);
      const isRequested =
        requested.length === 0 || requested.some(({ value: one }) => one === undefined || one === address);
      if (isRequested && this.#whyNot(address) === undefined) this.#take(gateway, address);
    }
  }

  request(gateway: Gateway): void {
    for (const { value } of requestsOf(gateway)) {
      if (value !== undefined && this.#whyNot(value) === undefined) this.#take(gateway, value);
    }
  }

  assign(gateway: Gateway): Assignment {
    const object = nameOf(gateway);
    const unsupported = unsupportedType(gateway, object);
    const requested = requestsOf(gateway);
    const values = requested.flatMap(({ field, value }) => (value === undefined ? [] : [{ field, value }]));
    const refused = values.flatMap(({ field, value }): Problem[] => {
      const why =
        this.#owners.get(value) === keyOf(gateway) ? undefined : (this.#whyNot(value) ?? this.#takenWhy(value));
      return why === undefined
        ? []
        : [{ object, kind: "reference-unusable", field, why, done: "nginx does not listen there" }];
    });
    if (this.#options.sharesPorts && this.#all.length === 0) {
      return { addresses: [], unsupported, lacking: refused[0] && { reason: "AddressNotUsable", problem: refused[0] } };
    }
    const wanted = Math.max(requested.length, unsupported === undefined ? 1 : 0);
    let addresses = this.#addressesOf(gateway);
    if (refused.length === 0 || addresses.length > 0) {
      for (let more = addresses.length + refused.length; more < wanted; more++) this.#takeFree(gateway);
      addresses = this.#addressesOf(gateway);
    }
    if (refused[0] !== undefined)
      return { addresses, unsupported, lacking: { reason: "AddressNotUsable", problem: refused[0] } };
    if (addresses.length >= Math.max(1, requested.length)) return { addresses, unsupported, lacking: undefined };
    const problem: Problem = { object, kind: "limit-exceeded", field: "spec.addresses", ...this.#exhausted(addresses) };
    return { addresses, unsupported, lacking: { reason: "AddressNotAssigned", problem } };
  }

  #exhausted(addresses: readonly string[]): { readonly why: string; readonly done: string } {
    const some = addresses.length > 0;
    const done = some ? "nginx listens on those that it has" : "nginx listens nowhere for it";
    if (this.#all.length === 0)
      return { why: "there is no address for it, because --gateway-addresses names none", done };
    return {
      why: `all ${this.#all.length} addresses of --gateway-addresses are used or are not of this machine`,
      done,
    };
  }

  #takeFree(gateway: Gateway): void {
    const free = this.#all.find((address) => !this.#owners.has(address) && this.#local?.has(address) !== false);
    if (free !== undefined) this.#owners.set(free, keyOf(gateway));
  }

  #take(gateway: Gateway, address: string): void {
    if (!this.#owners.has(address)) this.#owners.set(address, keyOf(gateway));
  }

  #whyNot(address: string): string | undefined {
    if (!this.#all.includes(address)) return `${address} is not one of the addresses of --gateway-addresses`;
    return this.#local?.has(address) === false ? `${address} is not an address of this machine` : undefined;
  }

  #takenWhy(address: string): string | undefined {
    const owner = this.#owners.get(address);
    return owner === undefined ? undefined : `${address} is used by Gateway ${owner}`;
  }

  /** Returns the addresses in the order of the requests, and then the lowest first. */
  #addressesOf(gateway: Gateway): string[] {
    const mine = this.#all.filter((address) => this.#owners.get(address) === keyOf(gateway));
    const requested = requestsOf(gateway).flatMap(({ value }) =>
      value !== undefined && mine.includes(value) ? [value] : [],
    );
    return [...new Set([...requested, ...mine])];
  }
}

/**
 * Returns the requested addresses of the type IPAddress. An undefined value stands for any address.
 */
function requestsOf({ spec }: Gateway): { readonly field: string; readonly value: string | undefined }[] {
  return (spec?.addresses ?? []).flatMap(({ type = "IPAddress", value = "" }: GatewayAddress, at) =>
    type === "IPAddress"
      ? [{ field: `spec.addresses[${at}]`, value: value === "" ? undefined : canonical(value) }]
      : [],
  );
}

/** Returns the Problem of a requested address whose type is not served. */
export function unsupportedType({ spec }: Gateway, object: ObjectName): Problem | undefined {
  const at = spec?.addresses?.findIndex(({ type = "IPAddress" }) => type !== "IPAddress") ?? -1;
  const reach = unservedRoutability(spec);
  if (reach >= 0) {
    const why = `${shown(spec!.addresses![reach]!.routability!)} is not served`;
    const field = `spec.addresses[${reach}].routability`;
    return { object, kind: "value-unsupported", field, why, done: "the Gateway is not accepted" };
  }
  if (at < 0) return undefined;
  const why = `${spec?.addresses?.[at]?.type} is not IPAddress`;
  return {
    object,
    kind: "value-unsupported",
    field: `spec.addresses[${at}].type`,
    why,
    done: "the Gateway is not accepted",
  };
}

function nameOf({ metadata: { namespace = "default", name } }: Gateway): ObjectName {
  return { kind: "Gateway", namespace, name };
}

/** Returns the Problems of the Gateway about its addresses. */
export function assignmentProblems({ unsupported, lacking }: Assignment): readonly Problem[] {
  return [unsupported, lacking?.problem].filter((one) => one !== undefined);
}
