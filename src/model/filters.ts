/**
 * Changes that a route makes to requests and answers, as data: nginx looks it up at each request.
 */
import type { BackendTls } from "./backend-tls.ts";

export interface Filters {
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  /** Answers instead of the backend. */
  readonly redirect?: Redirect;
  readonly rewrite?: UrlRewrite;
  readonly cors?: CorsPolicy;
  /** Each gets a copy of its share of requests; the answers are dropped. */
  readonly mirrors?: readonly Mirror[];
  /** The auth service that is asked before a request passes. */
  readonly auth?: AuthService;
  /** A client stays with the endpoint that first answered it. */
  readonly session?: Session;
}

/**
 * Done in this order: set replaces all values of a name, add appends one, remove takes all away.
 */
export interface HeaderChanges {
  readonly set: readonly HeaderValue[];
  readonly add: readonly HeaderValue[];
  readonly remove: readonly string[];
}

export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}

/** Undefined parts stay as the request has them. */
export interface Redirect {
  readonly scheme: "http" | "https" | undefined;
  readonly hostname: string | undefined;
  readonly path: PathChange | undefined;
  readonly port: number | undefined;
  readonly status: 301 | 302 | 303 | 307 | 308;
}

/** At least one of them. */
export interface UrlRewrite {
  /** Becomes the Host header towards the backend. */
  readonly hostname: string | undefined;
  readonly path: PathChange | undefined;
}

export type PathChange =
  | { readonly type: "full"; readonly path: string }
  /**
   * `prefix` is the matched path without a slash at its end, empty for `/`; it is replaced by
   * `path`.
   */
  | { readonly type: "prefix"; readonly prefix: string; readonly path: string };

export interface CorsPolicy {
  /** `*`, an origin, or an origin with `*` in its host. */
  readonly allowOrigins: readonly string[];
  readonly allowCredentials: boolean;
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  /** Seconds. */
  readonly maxAge: number;
}

export interface Mirror {
  /** Id of an Upstream. */
  readonly upstream: string;
  /** Its share of the requests, from 0 to 1. */
  readonly share: number;
  /** How copies are sent; over HTTP/1.1 without TLS where absent. */
  readonly way?: CopyWay;
}

export interface CopyWay {
  readonly isHttp2?: true;
  readonly isSecure?: true;
  /** How the backend has to prove its identity; absent where nothing is checked. */
  readonly tls?: BackendTls;
}

/**
 * Lets a request pass if the answer is 200, or OK over gRPC. Names of headers are in lower case.
 */
export interface AuthService {
  /** Whether it is asked over gRPC, by the protocol ext_authz of Envoy; else over HTTP. */
  readonly isGrpc?: true;
  /** Whether it is asked over TLS; its certificate is looked at where `tls` says how. */
  readonly isSecure?: true;
  readonly tls?: BackendTls;
  /** Id of an Upstream. */
  readonly upstream: string;
  /** Precedes the path of the request; without a final slash. */
  readonly path: string;
  /**
   * Headers of the request that the subrequest has beside the usual ones. Over gRPC it has these
   * alone, or all if the list is empty.
   */
  readonly requestHeaders: readonly string[];
  /**
   * Headers of the answer that the backend gets; empty: all that describe the request. Over gRPC
   * the service itself decides which headers change.
   */
  readonly responseHeaders: readonly string[];
  /** Bytes; 0: the subrequest has no body. A request with a longer body is refused. */
  readonly mostBody: number;
}

export interface Session {
  readonly type: "cookie" | "header";
  /** Name of the cookie or header that carries a client's token. */
  readonly name: string;
  /** Hexadecimal; tells tokens of the rule from others. */
  readonly binding: string;
  /** The path of a cookie. */
  readonly path: string;
  /** The seconds after which a session ends; undefined: never. */
  readonly seconds: number | undefined;
  /** Whether browsers keep the cookie until the end of the session, beyond their own. */
  readonly isPermanent: boolean;
}

/** In milliseconds; undefined: no limit but the usual ones. */
export interface Timeouts {
  /** For the whole request, with all attempts. */
  readonly request: number | undefined;
  /** For each attempt. */
  readonly backendRequest: number | undefined;
}

/** How often a request is sent again that failed, beside its first try. */
export interface Retries {
  readonly attempts: number;
  /** Statuses of the backend that count as failures; connections that fail always do. */
  readonly codes: readonly RetriedStatus[];
  /** Milliseconds between a failure and the next try; 0 for none. */
  readonly backoff: number;
}

/** nginx can try no others again. */
export const retriedStatuses = [403, 404, 429, 500, 502, 503, 504] as const;
export type RetriedStatus = (typeof retriedStatuses)[number];

/** How a backend wants its requests: `h2c` and `grpcs` are HTTP/2, without and with TLS. */
export type BackendProtocol = "http" | "https" | "h2c" | "grpcs";
