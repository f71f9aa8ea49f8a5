/**
 * The configuration that nginx should have, in nginx's nouns. `translate/` builds it from a
 * Snapshot, `compare` says what changed, `render/` turns it into text and data. `F` is what
 * annotations say (`FeatureValues`), `S` the operator's Settings; both are declared above this
 * file, so the nouns import nothing but Problems and Tables.
 */
import type { Problem } from "../problem.ts";
import type { BackendTls } from "./backend-tls.ts";
import type { Certificate } from "./certificate.ts";
import type { Endpoint } from "./endpoint.ts";
import type { BackendProtocol, Filters, Retries, Timeouts } from "./filters.ts";
import type { ListenerPort } from "./listeners.ts";
import type { Owner } from "./owner.ts";
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
   * Servers for the hosts of listeners as they would be if routes in shadow served. They have the
   * locations of these routes alone, and all other requests stay where they are (`toNamesake`).
   * Keyed by the `serverKey` of the host that is served.
   */
  readonly shadows: Table<Server<F>>;
  /** Ids of listeners for whose hostname the certificate of its namesake is shown. */
  readonly yieldingListeners: ReadonlySet<string>;
  /** Ports of Gateways by id; those of Ingresses are flags. */
  readonly listenerPorts: Table<ListenerPort>;
  /** Keyed by id. */
  readonly upstreams: Table<Upstream>;
  /** Keyed by id. */
  readonly certificates: Table<Certificate>;
  /** The certificate for unknown SNI names, and for hosts without one of their own. */
  readonly defaultCertificate: Certificate;
  /**
   * OCSP answers in base64, by the fingerprint of their Certificate; empty unless they are to be
   * stapled.
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

/** Id of the Upstream for Locations without a backend of their own. */
export const defaultUpstream = "default";
export const defaultUpstreamLabel = "upstream-default-backend";

export interface Server<F> {
  /**
   * Id of the listener whose host it is; absent: the hosts of the Ingress ports. A listener's
   * wildcard takes one label or more, and a request that none of its routes takes goes on to the
   * less specific hosts of the same listener.
   */
  readonly listener?: string;
  /**
   * Lower-case host; `*.example.com` takes one label more; `_` takes what no other Server takes.
   */
  readonly name: string;
  readonly aliases: readonly Alias[];
  /** The www twin of the host, which redirects here. */
  readonly redirectFrom: Alias | undefined;
  /** Id of its Certificate; undefined: the default one. */
  readonly certificate: string | undefined;
  /** Whether http requests for it are redirected by ssl-redirect (RS-11.2). */
  readonly tlsConfigured: boolean;
  /** The target of redirects for exactly `/`; text with variables. */
  readonly appRoot: string | undefined;
  readonly locations: readonly Location<F>[];
  /**
   * In the order in which nginx should try them within one kind of match. Routes with conditions
   * may share a path; a request that fulfils none of them is tried at shorter paths.
   */
  readonly routes: readonly Route[];
  /** Whether all routes are tried in their order, whatever their kinds of match and lengths are. */
  readonly ordered?: true;
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

/**
 * Stands for a location of the namesake, the Server of that name which belongs to no listener: it
 * takes the requests of the route, by its own routes. Only a Server of a listener has such routes,
 * on a port where its namesake gets requests, too.
 */
export const toNamesake = -1;

/**
 * One way into a Location. `exact` and `prefix` compare the decoded path (a prefix ends in a
 * slash), `regex` is anchored at the start and ignores case, `pattern` takes the whole path, in its
 * case, and comes after all others, `slash` answers 301 to the path with a slash (RS-5.4), as the
 * Location there.
 */
export type Route = { readonly path: string; readonly location: number; readonly conditions?: Conditions } & (
  | { readonly match: "exact"; readonly rewrite?: string }
  | { readonly match: "prefix"; readonly rewrite?: string }
  | { readonly match: "regex"; readonly rewrite?: string }
  | { readonly match: "pattern"; readonly rewrite?: string }
  | { readonly match: "slash" }
);

/** Conditions of a request beside its host and path; all of them have to hold. */
export interface Conditions {
  /** Undefined: any method. */
  readonly method?: string;
  readonly headers: readonly ValueCondition[];
  readonly query: readonly ValueCondition[];
  /**
   * Present: it has to be a call of gRPC whose `service` and `method` have these values. Its path
   * is `/service/method`.
   */
  readonly call?: readonly ValueCondition[];
}

/**
 * The first header or query parameter of this name, or that part of a call, has this value, or one
 * that the pattern takes as a whole.
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
  /** `namespace/name` of the Service; empty where the default backend answers. */
  readonly key: string;
  /** Name of the Service; empty where the default backend answers. */
  readonly service: string;
  /** Number or name, as its owner has it. */
  readonly port: string;
}

export interface WeightedBackend extends Backend {
  /** Its share of requests is its weight among the weights of all backends of the Location. */
  readonly weight: number;
  /** Absent: the features of the Location hold. */
  readonly protocol?: BackendProtocol;
  /** TLS with verification towards it; absent: `protocol` decides. */
  readonly tls?: BackendTls;
  /** Changes to its requests and answers, after those of the Location. */
  readonly filters?: Filters;
  /** Why its share of requests gets an error; absent where it is usable. */
  readonly unusable?: Problem;
}

export interface Location<F> {
  /** The path as its owner has it, for logs, cookies and error headers. */
  readonly path: string;
  /** Undefined: the path `/` for unknown hosts, where no object has that. */
  readonly owner: Owner | undefined;
  /** Objects beside its owner whose texts it contains. */
  readonly authors?: readonly Owner[];
  /** `metadata.uid` of its owner, where the API server has given one. */
  readonly ownerUid: string | undefined;
  /** At least one. */
  readonly backends: readonly WeightedBackend[];
  readonly features: F;
  /** Changes to its requests and answers beside its features. */
  readonly filters?: Filters;
  readonly timeouts?: Timeouts;
  readonly retries?: Retries;
  /** Status of requests that come to a backend which cannot be used; absent: 500. */
  readonly unusableStatus?: 503;
  /** Name of the rule that it was made of, for logs and metrics; absent where it has none. */
  readonly rule?: string;
  /**
   * From 0 to 1: the share that it takes of the requests which a Server without a listener would
   * send to a Service, were it not there; absent: all of them.
   */
  readonly share?: number;
  /** Id of the Upstream that answers while its own has no endpoints. */
  readonly standIn: string | undefined;
  readonly canaries: readonly Canary[];
  /** Whether the times of its answers are noted, because ewma may balance an Upstream of it. */
  readonly timed: boolean;
  /** Why it always answers 503; undefined where it does not. */
  readonly closed: Problem | undefined;
  /**
   * Whether none of its routes rewrites the path, although its owner has a target: then the URI
   * goes on as it came.
   */
  readonly keepsUri?: true;
  /**
   * The pattern of the one route that rewrites, where another one does not. Only a text that
   * rewrites by itself has to know.
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
 * An alternative for some of a Location's requests, oldest first; a header beats a cookie, and a
 * cookie a weight.
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
   * `namespace/service/port`, or `default`; of a canary `namespace/service/port for ` and the id of
   * the Upstream it relieves.
   */
  readonly id: string;
  /** For logs and metrics: `namespace-service-port`. */
  readonly label: string;
  /** Sorted by address and port. */
  readonly endpoints: readonly Endpoint[];
  readonly balance: Balance;
}

export type Balance =
  | { readonly algorithm: "round_robin" | "ewma" }
  /**
   * `by` is text with `$name` and `${name}` in it; `subset` is how many peers share a hash, 0 where
   * each hash has one; `declared` are the variables of it that snippets declare.
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
  /** Empty: the path of the Location. */
  readonly path: string;
  readonly domain: string;
  readonly expires: number | undefined;
  readonly maxAge: number | undefined;
  readonly sameSite: "None" | "Lax" | "Strict" | undefined;
  readonly conditionalSameSiteNone: boolean;
  readonly secure: boolean;
  readonly changeOnFailure: boolean;
}
