/**
 * The configuration that nginx should have, in nginx's nouns. `translate/` builds it from a
 * Snapshot, `compare` finds the changes, `render/` turns it into text and data. `F` is the type of
 * the annotations' values (`FeatureValues`), and `S` that of the operator's Settings. Both are
 * declared in higher rooms, so the nouns import nothing but Problems and Tables.
 */

import type { BackendTls } from "./backend-tls.ts";
import type { Certificate } from "./certificate.ts";
import type { Endpoint } from "./endpoint.ts";
import type { BackendProtocol, Filters } from "./filters.ts";
import type { ListenerPort } from "./listeners.ts";
import type { Owner } from "./owner.ts";
import type { Problem } from "./problem.ts";
import type { StreamServer } from "./streams.ts";
import type { Table } from "./table.ts";

export {
  type Certificate,
  type CertificateIdentity,
  noIdentity,
  type Weakness,
} from "./certificate.ts";
export { SecretText } from "./secret-text.ts";
export type { Endpoint, Owner, StreamServer };

export interface Configuration<S, F> {
  readonly settings: S;
  /** Servers by `serverKey`; `_` is the catch-all, which is always there. */
  readonly servers: Table<Server<F>>;
  /**
   * Servers for the hosts of listeners as they would be if routes in shadow served. They have only
   * the locations of these routes, and all other requests stay where they are now (`elsewhere`).
   * Keyed by the `serverKey` of the host that is served.
   */
  readonly shadows: Table<Server<F>>;
  /**
   * Ids of listeners with a namesake among Ingresses whose certificate is shown for their hostname.
   */
  readonly yieldingListeners: ReadonlySet<string>;
  /** Ports of Gateways by id. The ports of Ingresses are flags. */
  readonly listenerPorts: Table<ListenerPort>;
  /** Keyed by id. */
  readonly upstreams: Table<Upstream>;
  /** Keyed by id. */
  readonly certificates: Table<Certificate>;
  /** The certificate for unknown SNI names, and for hosts without one of their own. */
  readonly defaultCertificate: Certificate;
  /**
   * OCSP answers in base64, by the fingerprint of their Certificate. It is empty unless stapling is
   * turned on.
   */
  readonly staples: Table<string>;
  /**
   * TCP and UDP services and TLS passthrough, by listening port and protocol or by host; then the
   * streams of Gateways.
   */
  readonly streams: readonly StreamServer[];
  /** Permitted text for the stream block, in the order of their owners' age. */
  readonly streamSnippets: readonly string[];
}

export const catchAll = "_";

/** The id of the Upstream for Locations without a backend of their own. */
export const defaultUpstream = "default";
export const defaultUpstreamLabel = "upstream-default-backend";

export interface Server<F> {
  /**
   * The id of the listener that has the host; absent for hosts of the Ingress ports. A listener's
   * wildcard stands for one or more labels. A request that none of the host's routes takes is tried
   * at the less specific hosts of the same listener.
   */
  readonly listener?: string;
  /**
   * The host in lower case. `*.example.com` stands for one more label, and `_` takes the hosts that
   * no other Server takes.
   */
  readonly name: string;
  readonly aliases: readonly Alias[];
  /** The www twin of the host, which redirects here. */
  readonly redirectFrom: Alias | undefined;
  /** The id of its Certificate; undefined for the default one. */
  readonly certificate: string | undefined;
  /** Whether http requests for it are redirected by ssl-redirect (RS-11.2). */
  readonly tlsConfigured: boolean;
  /** The target of redirects for exactly `/`; text with variables. */
  readonly appRoot: string | undefined;
  readonly locations: readonly Location<F>[];
  /**
   * In the order in which nginx should try them: all of them if one is a pattern (`regex` or
   * `pattern`), otherwise those of one path. Routes with conditions may share a path; a request
   * that fulfils none of them is tried at shorter paths.
   */
  readonly routes: readonly Route[];
  /** Values for the host as a whole, each value from the oldest owner that gives one (RS-3.5). */
  readonly features: F;
}

export interface Alias {
  /**
   * A host name, a wildcard of nginx's (`*.example.com` of any depth, `.example.com`, `www.*`), or
   * `~` and a pattern.
   */
  readonly name: string;
  readonly certificate: string | undefined;
  readonly tlsConfigured: boolean;
}

/** Stands for a Location of another Server, which `of` names. */
export const elsewhere = -1;

/**
 * A path that leads to a Location. `exact` and `prefix` compare the decoded path (a prefix ends in
 * a slash). `regex` is anchored at the start and ignores case. `pattern` has to match the whole
 * path, with its case. `slash` answers 301 to the path with a slash
 * (RS-5.4), with the settings of its Location.
 */
export type Route = {
  readonly path: string;
  readonly location: number;
  readonly conditions?: Conditions;
  /**
   * The Location of another Server: of the one that has the host at the port itself, where a
   * listener shares its port with hosts without one.
   */
  readonly of?: { readonly host: string; readonly location: number };
} & (
  | { readonly match: "exact"; readonly rewrite?: string }
  | { readonly match: "prefix"; readonly rewrite?: string }
  | { readonly match: "regex"; readonly rewrite?: string }
  | { readonly match: "pattern"; readonly rewrite?: string }
  | { readonly match: "slash" }
);

/** Whether the routes of a host have to be tried in their order. */
export function hasPatterns(routes: readonly Pick<Route, "match">[]): boolean {
  return routes.some(({ match }) => match === "regex" || match === "pattern");
}

/** Conditions on a request beside its host and path. All of them have to hold. */
export interface Conditions {
  /** Undefined if any method fits. */
  readonly method?: string;
  readonly headers: readonly ValueCondition[];
  readonly query: readonly ValueCondition[];
  /**
   * If it is present, the request has to be a gRPC call whose `service` and `method` have these
   * values. Its path is `/service/method`.
   */
  readonly call?: readonly ValueCondition[];
}

/**
 * The first header or query parameter of this name, or this part of a call, must have the value, or
 * must match the pattern as a whole.
 */
export interface ValueCondition {
  readonly name: string;
  readonly type: "exact" | "regex";
  readonly value: string;
}

/** A port of a Service. */
export interface Backend {
  /** Id of its Upstream. */
  readonly upstream: string;
  /** `namespace/name` of the Service; empty if the default backend answers. */
  readonly key: string;
  /** Name of the Service; empty if the default backend answers. */
  readonly service: string;
  /** Number or name, as its owner has it. */
  readonly port: string;
}

export interface WeightedBackend extends Backend {
  /** Its share of requests is its weight among the weights of all backends of the Location. */
  readonly weight: number;
  /** If it is absent, the features of the Location decide. */
  readonly protocol?: BackendProtocol;
  /** TLS with verification towards it. If it is absent, `protocol` decides. */
  readonly tls?: BackendTls;
  /** Changes to its requests and answers, after those of the Location. */
  readonly filters?: Filters;
  /** The reason why its share of requests gets an error; absent if the backend is usable. */
  readonly unusable?: Problem;
}

export interface Location<F> {
  /** The path as its owner wrote it, for logs, cookies and error headers. */
  readonly path: string;
  /** Undefined for the path `/` of unknown hosts, if no object has that path. */
  readonly owner: Owner | undefined;
  /** Objects beside its owner whose texts it contains. */
  readonly authors?: readonly Owner[];
  /** `metadata.uid` of its owner, if the API server has given one. */
  readonly ownerUid: string | undefined;
  /** At least one. */
  readonly backends: readonly WeightedBackend[];
  readonly features: F;
  /** Changes to its requests and answers beside its features. */
  readonly filters?: Filters;
  /** The status for requests to a backend that cannot be used; 500 if it is absent. */
  readonly unusableStatus?: 503;
  /**
   * The name of the rule from which it was made, for logs and metrics; absent if the rule has
   * none.
   */
  readonly rule?: string;
  /**
   * The share of requests that a route takes from the Ingress with the same host and path, from 0
   * to 1. It takes all of them if this is absent.
   */
  readonly share?: number;
  /** The id of the Upstream that answers while its own has no endpoints. */
  readonly standIn: string | undefined;
  readonly canaries: readonly Canary[];
  /**
   * Whether the times of its answers are recorded, because ewma may balance one of its Upstreams.
   */
  readonly timed: boolean;
  /** The reason why it always answers 503; undefined if it does not. */
  readonly closed: Problem | undefined;
  /**
   * Whether none of its routes rewrites the path, although its owner has a target. Then the backend
   * gets the path that the client sent.
   */
  readonly keepsUri?: true;
  /**
   * The pattern of the one route that rewrites, if another route does not. Only text that does
   * the rewriting itself needs it.
   */
  readonly rewritesAt?: string;
  /** Whether ssl-redirect acts on it although TLS is not configured for the host. */
  readonly ownTls?: true;
  /**
   * Whether X-Accel-Redirect in its backends' answers is ignored, because another namespace
   * declares locations on the host.
   */
  readonly ignoresAccelRedirect?: true;
}

/**
 * An alternative for some of a Location's requests. A header counts before a cookie, and a cookie
 * before a weight; canaries are sorted from the oldest on.
 */
export interface Canary {
  readonly upstream: string;
  readonly policy: CanaryPolicy;
}

export interface CanaryPolicy {
  readonly header: string;
  readonly headerValue: string;
  readonly headerPattern: string;
  readonly cookie: string;
  readonly weight: number;
  readonly weightTotal: number;
}

export interface Upstream {
  /**
   * `namespace/service/port`, or `default`. For a canary it is `namespace/service/port for ` and
   * the id of the main Upstream.
   */
  readonly id: string;
  /** The name in logs and metrics: `namespace-service-port`. */
  readonly label: string;
  /** Sorted by address and port. */
  readonly endpoints: readonly Endpoint[];
  readonly balance: Balance;
}

export type Balance =
  | { readonly algorithm: "round_robin" | "ewma" }
  /**
   * `by` is text with `$name` and `${name}` in it. `subset` is the number of peers that share a
   * hash, 0 if each hash leads to one peer. `declared` are its variables that snippets declare.
   */
  | {
      readonly algorithm: "hash";
      readonly by: string;
      readonly subset: number;
      readonly declared?: readonly string[];
    }
  | { readonly algorithm: "cookie"; readonly cookie: AffinityCookie };

export interface AffinityCookie {
  readonly name: string;
  readonly mode: "balanced" | "persistent";
  /** The path of the cookie; empty for the path of the Location. */
  readonly path: string;
  readonly domain: string;
  readonly expires: number | undefined;
  readonly maxAge: number | undefined;
  readonly sameSite: "None" | "Lax" | "Strict" | undefined;
  readonly conditionalSameSiteNone: boolean;
  readonly secure: boolean;
  readonly changeOnFailure: boolean;
}
