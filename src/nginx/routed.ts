/**
 * A question to the running router, and its answer, as `nginx/lua/sluice/ask.lua` takes and gives
 * them.
 */

export interface RouterQuestion {
  /** Of the Host header. */
  readonly host: string;
  /** Begins with a slash; with its query. */
  readonly target: string;
  /** Those that may be sent as they are, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Variables of nginx that the way of the question cannot have; false for those that have no
   * value.
   */
  readonly variables: Readonly<Record<string, string | false>>;
  /** The server that the request comes to, where the host has none of its own. */
  readonly slot: string;
  /** Whether the port is one of Ingresses. */
  readonly shared: boolean;
  /** That the client connects to, as nginx writes it; needed where listeners have addresses. */
  readonly address?: string;
  readonly tls: boolean;
  /** Whether a name that no host has ends the handshake. */
  readonly rejects: boolean;
}

export interface Routed {
  /** `shape`: a route was found. `own`: a path that Sluice answers by itself. */
  readonly outcome:
    | "shape"
    | "own"
    | "www"
    | "app_root"
    | "unrouted"
    | "undecided"
    | "unknown_shape"
    | "contrary_host"
    | "misdirected";
  /** The same for routes that the same text serves. */
  readonly shape?: string;
  /** Whose hosts decided. */
  readonly by: "ingress" | "gateway";
  /** Id of the listener that takes the host. */
  readonly listener?: string;
  /** Key of the host's record. */
  readonly host?: string;
  /** The Location of that host, counted from 1. */
  readonly location?: number;
  /** The pattern that took the path, counted from 1 among those of the host. */
  readonly pattern?: number;
  /** What that pattern took of the path, the whole first. */
  readonly groups?: readonly string[];
  /** Whether the path lacks its slash. */
  readonly slash?: boolean;
  /** Routes whose conditions the request does not fulfil, in the order in which they were tried. */
  readonly lost?: readonly LostChoice[];
  /** That may get the request; the first of an Ingress's is its own or a canary. */
  readonly upstreams?: readonly RoutedUpstream[];
  /** Variables that the router has set. */
  readonly set: Readonly<Record<string, string>>;
  /**
   * The part of the requests that the route takes where an Ingress has the path, too; absent where
   * it takes all.
   */
  readonly share?: number;
  /**
   * What becomes of the requests that a route leaves to an Ingress, where it takes a share alone.
   */
  readonly rest?: Routed;
  /** Ids of Certificates that the client is shown; absent where the handshake ends. */
  readonly pairs?: readonly string[];
}

export interface LostChoice {
  readonly host: string;
  readonly location: number;
  /** What does not fit; absent where that could not be found out. */
  readonly part?: "method" | "call" | "headers" | "query";
  /** Of the header, the parameter, or the part of a call. */
  readonly name?: string;
}

export interface RoutedUpstream {
  readonly upstream: string;
  /** The probability that the request gets there. */
  readonly share: number;
  /** `list` ends after 200. */
  readonly endpoints: { readonly list?: readonly string[]; readonly count: number };
}
