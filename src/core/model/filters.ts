/**
 * Changes that a route makes to requests and answers. They are data, which nginx looks up at each
 * request.
 */
import type { BackendTls } from "./backend-tls.ts";

export interface Filters {
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  /** A redirect that answers in place of the backend. */
  readonly redirect?: Redirect;
  readonly rewrite?: UrlRewrite;
  readonly cors?: CorsPolicy;
  /** Backends that get copies of a share of the requests. Their answers are dropped. */
  readonly mirrors?: readonly Mirror[];
  /** The auth service that has to allow each request. */
  readonly auth?: AuthService;
  /** Keeps a client at the endpoint that answered its first request. */
  readonly session?: Session;
  readonly timeouts?: Timeouts;
  readonly retries?: Retries;
}

/**
 * Changes in this order: `set` replaces all values of a name, `add` appends one, `remove` removes
 * all.
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

/** Parts that are undefined stay as the request has them. */
export interface Redirect {
  readonly scheme: "http" | "https" | undefined;
  readonly hostname: string | undefined;
  readonly path: PathChange | undefined;
  readonly port: number | undefined;
  readonly status: 301 | 302 | 303 | 307 | 308;
}

/** At least one of the two is given. */
export interface UrlRewrite {
  /** The Host header towards the backend. */
  readonly hostname: string | undefined;
  readonly path: PathChange | undefined;
}

export type PathChange =
  | { readonly type: "full"; readonly path: string }
  /**
   * `path` replaces `prefix`, which is the matched path without a slash at its end, and empty for
   * `/`.
   */
  | { readonly type: "prefix"; readonly prefix: string; readonly path: string };

export interface CorsPolicy {
  /** `*`, an origin, or an origin with `*` in its host. */
  readonly allowOrigins: readonly string[];
  readonly allowCredentials: boolean;
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  /** How long browsers may keep the answer to a preflight, in seconds. */
  readonly maxAge: number;
}

export interface Mirror {
  /** The id of an Upstream. */
  readonly upstream: string;
  /** Its share of the requests, from 0 to 1. */
  readonly share: number;
  /** How copies are sent. If it is absent, they are sent over HTTP/1.1 without TLS. */
  readonly way?: CopyWay;
  /** Copies calls when they are over: a call may wait for an answer before its next message. */
  readonly isLate?: true;
}

export interface CopyWay {
  readonly isHttp2?: true;
  readonly isSecure?: true;
  /** How the backend has to prove its identity; absent if this is not checked. */
  readonly tls?: BackendTls;
}

/**
 * Lets a request pass if the answer is 200, or OK over gRPC. Names of headers are in lower case.
 */
export interface AuthService {
  /** Whether auth requests use gRPC, with Envoy's protocol ext_authz, and not HTTP. */
  readonly isGrpc?: true;
  /** Whether auth requests use TLS. The certificate is verified only if `tls` is given. */
  readonly isSecure?: true;
  readonly tls?: BackendTls;
  /** The id of an Upstream. */
  readonly upstream: string;
  /** The text in front of the request's path, without a final slash. */
  readonly path: string;
  /**
   * Headers of the request that the subrequest has beside the usual ones. Over gRPC it has only
   * these, or all headers if the list is empty.
   */
  readonly requestHeaders: readonly string[];
  /**
   * Headers of the answer that the backend gets. If the list is empty, it gets all that describe
   * the request. Over gRPC the service itself decides which headers change.
   */
  readonly responseHeaders: readonly string[];
  /**
   * The most bytes of the body that are sent. With 0 the subrequest has no body. A request with a
   * longer body is refused.
   */
  readonly mostBody: number;
}

export interface Session {
  readonly type: "cookie" | "header";
  /** The name of the cookie or header with the client's token. */
  readonly name: string;
  /** Hexadecimal digits by which tokens of the rule are recognised. */
  readonly binding: string;
  /** The path of a cookie. */
  readonly path: string;
  /** The seconds after which a session ends; undefined if it never ends. */
  readonly seconds: number | undefined;
  /** Whether browsers keep the cookie until the end of the session, beyond their own. */
  readonly isPermanent: boolean;
}

/** The longest time that nginx can wait, in milliseconds, where a route asks for no limit. */
export const noLimit = 2_147_483_000;

/**
 * Limits in milliseconds. If one is undefined, only the usual limits hold. Where a route asks for
 * no limit, `backendRequest` is `noLimit`.
 */
export interface Timeouts {
  /** For the whole request, with all attempts. */
  readonly request: number | undefined;
  /** For each attempt. */
  readonly backendRequest: number | undefined;
}

/** How often a failed request is sent again after its first try. */
export interface Retries {
  readonly attempts: number;
  /** Statuses of the backend that count as failures; connections that fail always do. */
  readonly codes: readonly RetriedStatus[];
  /** Milliseconds between a failure and the next try; 0 if there is no wait. */
  readonly backoff: number;
}

/** The statuses after which nginx can try again. */
export const retriedStatuses = [403, 404, 429, 500, 502, 503, 504] as const;
export type RetriedStatus = (typeof retriedStatuses)[number];

/** The protocol of a backend: `h2c` and `grpcs` are HTTP/2, without and with TLS. */
export type BackendProtocol = "http" | "https" | "h2c" | "grpcs";
