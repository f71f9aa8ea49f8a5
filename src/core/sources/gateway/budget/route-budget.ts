/**
 * Refuses routes of one kind whose hosts, listeners, matches and filters need too many records.
 * They are weighed before any of them is read, so that refusing one costs little.
 */
import { guarded } from "../../../../base/guarded.ts";
import { bytesOf } from "../../../kinds/measures.ts";
import type { HTTPRouteFilter, Route } from "../../../model/gateway/objects.ts";
import { objectKey } from "../../../model/objects.ts";
import type { Problem } from "../../../model/problem.ts";
import { ageOf } from "../../../table/age.ts";
import { NamespaceBudget, type Wish } from "../../../table/namespace-budget.ts";
import type { Turn } from "../../../table/turn.ts";
import { permits } from "../../host-policy/policy.ts";
import type { Gateways } from "../gateways.ts";
import { type Attachment, hostnamesOf, hostsBy } from "../route/attach.ts";
import type { RouteName } from "../route/problems.ts";
import { settingsIn } from "../route/settings.ts";
import type { AllRouteSettings } from "../route-settings/route-settings.ts";
import { type Product, productOf } from "./product.ts";

/** The need of a route beyond that of ordinary ones, which are never refused. */
interface RouteWish extends Wish {
  readonly product: Product;
}

export class RouteBudget<R extends Route> {
  readonly #kind: string;
  readonly #gateways: Gateways;
  readonly #settings: AllRouteSettings;
  readonly #budget = new NamespaceBudget<RouteWish>();

  constructor(kind: string, gateways: Gateways, settings: AllRouteSettings) {
    this.#kind = kind;
    this.#gateways = gateways;
    this.#settings = settings;
  }

  /**
   * Weighs these routes, of which `formOf` returns the form in force. Then it decides, and returns
   * them together with all routes about which it differs.
   */
  renew(
    keys: Set<string>,
    turn: Turn,
    formOf: (key: string) => R | undefined,
    attachmentsOf: (route: R) => readonly Attachment[],
  ): Set<string> {
    for (const key of keys) {
      const route = formOf(key);
      // A bug here must not affect other routes.
      const wish = guarded(
        () => {
          const product = route && this.#productOf(key, route, attachmentsOf(route), turn);
          return route && product && { age: ageOf(route), bytes: product.surplus, product };
        },
        () => undefined,
      );
      this.#budget.set(key, wish);
    }
    return new Set([...keys, ...this.#budget.settle(bytesOf(turn.settings.routeRecordsPerNamespace))]);
  }

  /** Returns the attachments; without listeners if the route is refused. */
  left(key: string, object: RouteName, all: readonly Attachment[], { settings }: Turn): readonly Attachment[] {
    const refused = this.#budget.refused(key);
    if (refused === undefined) return all;
    const problem = tooLarge(object, refused.product, settings.routeRecordsPerNamespace);
    const fault = { reason: "UnsupportedValue", problem };
    return all.map((one) => (one.fault === undefined ? { ...one, listeners: [], fault } : one));
  }

  isRefused(key: string): boolean {
    return this.#budget.refused(key) !== undefined;
  }

  #productOf(key: string, route: R, attachments: readonly Attachment[], { hostPolicy }: Turn): Product {
    const { namespace = "default" } = route.metadata;
    const hostnames = hostnamesOf(route);
    const isPermitted = (host: string) => permits(hostPolicy, namespace, host);
    const listeners = new Set(attachments.flatMap((one) => one.listeners));
    const served = [...listeners].filter((one) => this.#gateways.isServed(one));
    const hostsAt = hostsBy(hostnames, isPermitted);
    return productOf(route, {
      hosts: new Map(served.map((one) => [one.id, hostsAt(one).length])),
      outer: (id) => this.#settings.lengthAt(id),
      inner: ({ name, filters = [] }) => {
        const named = settingsIn([{ filters: filters as readonly HTTPRouteFilter[] }], namespace);
        return this.#settings.lengthFor(objectKey(this.#kind, key), name, named);
      },
    });
  }
}

function tooLarge(object: RouteName, { matches, hosts, bytes }: Product, most: string): Problem {
  const size = `${matches} ${matches === 1 ? "match" : "matches"} on ${hosts} hosts, which are the route's hostnames on each of its listeners, need ${Math.ceil(bytes / 2 ** 20)}m of records`;
  const why = `${size}; with the older ${object.kind}s of namespace ${object.namespace} that is more than route-records-per-namespace permits (${most})`;
  return {
    object,
    kind: "limit-exceeded",
    field: "spec",
    why,
    done: "the route is not attached, and other routes of the namespace answer 503 on its hosts",
  };
}
