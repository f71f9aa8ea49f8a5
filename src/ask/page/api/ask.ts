/**
 * The steps of a decision about a request, as JSON: the answer of `sluice why -o json` and of the
 * page's view Ask. It never has values of the request's headers, passwords, keys or text of
 * snippets.
 */

export interface AskQuestion {
  /**
   * `https://shop.example.com/cart?id=1`; without a scheme it is http. `tcp://db.example.com:5432`,
   * `udp://` and `tls://` stand for a stream, and so does `db.example.com:5432` if a stream has
   * this port.
   */
  readonly url: string;
  /** GET if none is named. */
  readonly method?: string;
  /** Headers by name in any case, as the client would send them. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The client's address, for lists of addresses. Without it the outcome of these lists is
   * `depends`.
   */
  readonly client?: string;
}

/**
 * `ok` is false if the question cannot be understood, or nothing was applied yet. One sentence
 * has the reason.
 */
export type AskOutcome =
  | { readonly ok: true; readonly answer: AskAnswer }
  | { readonly ok: false; readonly why: string };

export interface AskAnswer {
  readonly version: 1;
  readonly request: AskedWords;
  /**
   * One for each place where a request with this URL may arrive: the ports of Ingresses, and
   * Gateways with addresses of their own. DNS decides between these. The list is never empty.
   */
  readonly arrivals: readonly Arrival[];
}

export interface AskedWords {
  /** Empty for a stream. */
  readonly method: string;
  /** `stream` stands for any stream with the port, if the question names no protocol. */
  readonly scheme: "http" | "https" | "tcp" | "udp" | "tls" | "stream";
  /** With its port, if that is given. */
  readonly host: string;
  /** With its query; empty for a stream. */
  readonly target: string;
  /** In lower case; values are left out. */
  readonly headerNames: readonly string[];
}

export interface Arrival {
  /** Absent for the ports of Ingresses, and for the port of a TCP or UDP service. */
  readonly listener?: AskedListener;
  /** Absent if the host was not looked up, as with an answer of 400. */
  readonly host?: FoundHostWords;
  /** The kind of stream, if nginx's stream module takes the connection; absent for a request. */
  readonly stream?: "tcp" | "udp" | "tls";
  /**
   * Routes that match the path but do not get the request, in the order in which they are tried; at
   * most 20.
   */
  readonly lost: readonly LostRoute[];
  readonly route?: AskedRoute;
  /**
   * Checks before the backend, in the order of nginx. The one that stops the request is the last.
   */
  readonly guards: readonly AskedGuard[];
  /** Backends that may get the request; empty if no backend gets it. */
  readonly backends: readonly AskedBackend[];
  /**
   * The certificate of the handshake. For http it is the one that https would show, if the host
   * has its own.
   */
  readonly certificate?: AskedCertificate;
  /** Settings of the route that differ from the defaults. */
  readonly settings: readonly AskedSetting[];
  /** Problems of the object that owns the route and of its Service and Secrets. */
  readonly problems: readonly AskedProblem[];
  readonly end: AskedEnd;
  /** Statuses whose answer another backend writes. */
  readonly errorPages: readonly number[];
  /**
   * Changes that would let the request find a route, if it finds none: sentences, the likeliest
   * first.
   */
  readonly changes: readonly string[];
  /** All of the above for people, in the order in which nginx decides: what `sluice why` prints. */
  readonly steps: readonly AskedStep[];
}

export interface AskedStep {
  /** `host`, `route`, `guard` ... */
  readonly what: string;
  readonly says: string;
}

export interface AskedListener {
  /** `namespace/name`. */
  readonly gateway: string;
  readonly name: string;
  /** Empty for all hosts. */
  readonly hostname: string;
  /** Absent for all addresses. */
  readonly address?: string;
  readonly port: number;
}

export interface FoundHostWords {
  /** The host in the configuration: a name, a wildcard, or `_` for all others. */
  readonly name: string;
  /** The name, wildcard, alias or pattern that matched the host. */
  readonly by: string;
  readonly how: "name" | "alias" | "wildcard" | "twin" | "nothing else";
}

export interface AskedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface AskedRoute {
  /** Absent for the path `/` that every host has by default. */
  readonly owner?: AskedObject;
  /** The name of a rule, if it has one. */
  readonly rule?: string;
  readonly host: string;
  /** Empty for a stream. */
  readonly path: string;
  /** `name` is for a stream, which has no path. */
  readonly match: "exact" | "prefix" | "regex" | "pattern" | "slash" | "name";
  /**
   * The required method, headers and query parameters, in words; empty if the path alone
   * decides.
   */
  readonly when: string;
}

export interface LostRoute extends AskedRoute {
  readonly why: string;
}

export interface AskedGuard {
  /** The name of the feature, such as `basic-auth`. */
  readonly what: string;
  readonly says: string;
  /**
   * `depends` means that the outcome depends on something that is not known in advance, such as a
   * password.
   */
  readonly outcome: "passes" | "stops" | "depends";
  /** The status that the client gets if the guard stops the request. */
  readonly status?: number;
}

export interface AskedBackend {
  /** `namespace/name`; empty for the default backend. */
  readonly service: string;
  readonly port: string;
  /** The probability that this request gets there, from 0 to 1. */
  readonly share: number;
  /** The rule by which a canary takes requests. */
  readonly when?: string;
  /** `address:port` of the ready endpoints. */
  readonly endpoints: readonly string[];
  /** Why it cannot be used. */
  readonly unusable?: string;
}

export interface AskedCertificate {
  /** `namespace/name` of the Secret; absent for the default certificate. */
  readonly secret?: string;
  readonly names: readonly string[];
  readonly expires?: string;
  /** Whether the host is among its names. */
  readonly fits: boolean;
  /** The reason why the host has no certificate of its own. */
  readonly why?: string;
}

export interface AskedSetting {
  /** The feature and its field, such as `proxy-timeouts read`. */
  readonly name: string;
  readonly value: string;
  /** The annotation that it comes from, or the key of the ConfigMap. */
  readonly from: string;
}

export interface AskedProblem {
  readonly severity: "error" | "warning";
  readonly object: string;
  readonly sentence: string;
  /** `file:line:column`, if files were read. */
  readonly at?: string;
}

export type AskedEnd =
  /** nginx answers by itself. */
  | { readonly kind: "answer"; readonly status: number; readonly why: string; readonly location?: string }
  | {
      readonly kind: "proxied";
      /** The path that the backend gets, if it is rewritten. */
      readonly rewritten?: string;
      /** Whether another backend answers, because the route's own one has no endpoint. */
      readonly standsIn: boolean;
    }
  /** A stream is closed, and no byte of an answer comes. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "unclear"; readonly why: string };
