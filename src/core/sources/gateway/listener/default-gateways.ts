/**
 * The default Gateways (GEP-3793): routes with `useDefaultGateways` are attached to all of them,
 * as if they named each one.
 */
import type { Gateway, Route } from "../../../model/gateway/objects.ts";
import type { GatewayReading } from "../reading.ts";

/** Stands for all default Gateways among the parents of routes. No Gateway has this name. */
export const defaultGateways = "Gateway *";

export function isDefault({ spec }: Gateway): boolean {
  return spec?.defaultScope === "All";
}

export function usesDefaults({ spec }: Route): boolean {
  return spec?.useDefaultGateways === "All";
}

/** Whether a scope is one that the Gateway API knows. */
export function isScope(text: string | undefined): boolean {
  return text === undefined || ["All", "None", ""].includes(text);
}

export class DefaultGateways {
  #keys: readonly string[] = [];

  /** `namespace/name` of each, in this order. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /**
   * Finds them among this controller's Gateways, and returns whether they are others than before.
   * The present form of a Gateway decides, so that a removed scope has no effect any more.
   */
  update(readings: ReadonlyMap<string, GatewayReading>): boolean {
    const keys = [...readings].flatMap(([key, { present }]) => (isDefault(present) ? [key] : [])).sort();
    if (keys.join(" ") === this.#keys.join(" ")) return false;
    this.#keys = keys;
    return true;
  }
}
