/**
 * Reads nginx's counts for routes in shadow. Each count has the match that would have taken the
 * requests, and the route or Ingress that took them.
 */

/** A path of an Ingress, a match of a route, or `nobody` if no object has the path. */
export interface Party {
  readonly kind: "ingress" | "route" | "nothing";
  /** `namespace/name`. */
  readonly name: string;
  /** Empty if the rule has no name. */
  readonly rule: string;
  readonly path: string;
}

export interface ShadowCount {
  /** Id of the listener. */
  readonly listener: string;
  /** The name of the host by which the route in shadow was found: a host, a wildcard or `_`. */
  readonly host: string;
  readonly shadow: Party;
  readonly now: Party;
  readonly requests: number;
  /**
   * One of the requests, without headers and values of its query: `GET http://a.example/cart?id=`.
   */
  readonly example: string;
}

/**
 * Reads the lines of `nginx/lua/sluice/gateway/shadow.lua`. A line that cannot be read is left out.
 */
export function readCounts(lines: string): readonly ShadowCount[] {
  return lines.split("\n").flatMap((line) => {
    const [requests, key, example] = parsed(line);
    if (typeof requests !== "number" || typeof key !== "string" || typeof example !== "string") return [];
    const [listener = "", host = "", ...parties] = key.split("\t");
    if (parties.length !== 8) return [];
    const [shadow, now] = [partyOf(parties.slice(0, 4)), partyOf(parties.slice(4))];
    return [{ listener, host, shadow, now, requests, example }];
  });
}

function parsed(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function partyOf([kind = "", name = "", rule = "", path = ""]: readonly string[]): Party {
  return { kind: kind === "ingress" || kind === "route" ? kind : "nothing", name, rule, path };
}
