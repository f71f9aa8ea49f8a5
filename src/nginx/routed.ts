/**
 * A question to the running router and its answer, in the form that `nginx/lua/sluice/ask.lua`
 * reads and writes.
 */

export interface RouterQuestion {
  /** From the Host header. */
  readonly host: string;
  /** The path with its query; it begins with a slash. */
  readonly target: string;
  /** Headers that may be sent unchanged, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Variables of nginx that differ for the question itself; false for those without a value. */
  readonly variables: Readonly<Record<string, string | false>>;
  /** The server that the request reaches if the host has none of its own. */
  readonly slot: string;
  /** Whether Ingresses use the port. */
  readonly shared: boolean;
  /**
   * The address that the client connects to, as nginx writes it; needed if listeners have
   * addresses.
   */
  readonly address?: string;
  readonly tls: boolean;
  /** Whether the handshake ends for a name that no host has. */
  readonly rejects: boolean;
}

export interface Routed {
  /** `shape` means that a route was found, and `own` a path that Sluice answers itself. */
  readonly outcome:
    | "shape"
    | "own"
    | "www"
    | "app_root"
    | "unrouted"
    | "undecided"
    | "unknown_shape"
    | "contrary_host"
    | "circle"
    | "misdirected";
  /** Equal for routes that the same text serves. */
  readonly shape?: string;
  /** The API whose hosts decided. */
  readonly by: "ingress" | "gateway";
  /** The id of the listener that takes the host. */
  readonly listener?: string;
  /** The key of the host's record. */
  readonly host?: string;
  /** The Location of that host, counted from 1. */
  readonly location?: number;
  /** The pattern that took the path, counted from 1 among those of the host. */
  readonly pattern?: number;
  /** The parts of the path that this pattern matched: the whole match, then its groups. */
  readonly groups?: readonly string[];
  /** Whether the path lacks its final slash. */
  readonly slash?: boolean;
  /** Routes whose conditions fail, in the order in which they were tried. */
  readonly lost?: readonly LostChoice[];
  /** Upstreams that may get the request; for an Ingress the first one is its own or a canary. */
  readonly upstreams?: readonly RoutedUpstream[];
  /** Variables that the router has set. */
  readonly set: Readonly<Record<string, string>>;
  /**
   * The share of requests that the route takes if an Ingress has the path, too; absent if it
   * takes all.
   */
  readonly share?: number;
  /** The decision for requests that a route leaves to an Ingress, if it takes only a share. */
  readonly rest?: Routed;
  /** What the patterns and conditions that were tried have cost (nginx/lua/sluice/regex.lua). */
  readonly steps: number;
  /** Ids of the Certificates that the client gets; absent if the handshake ends. */
  readonly pairs?: readonly string[];
}

export interface LostChoice {
  readonly host: string;
  readonly location: number;
  /** The condition that fails; absent if that could not be found out. */
  readonly part?: "method" | "call" | "headers" | "query";
  /** The name of the header, the parameter, or the part of a call. */
  readonly name?: string;
}

export interface RoutedUpstream {
  readonly upstream: string;
  /** The probability that the request goes there. */
  readonly share: number;
  /** `list` has at most 200 entries. */
  readonly endpoints: { readonly list?: readonly string[]; readonly count: number };
}
