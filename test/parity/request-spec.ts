/**
 * One request as a case writes it. An absent field has the default of docs/ingress-nginx/corpus.md.
 */
export interface RequestSpec {
  /** If absent, the request has no Host header and no SNI. */
  readonly host?: string;
  /** Sent as it is; `{x*5000}` becomes 5,000 times the letter x, here and in header values. */
  readonly path?: string;
  readonly method?: string;
  readonly scheme?: "http" | "https";
  readonly port?: number;
  readonly headers?: Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>;
  readonly body?: string | { readonly bytes: number };
  readonly tls?: TlsSpec;
  /** Whether to send the cookies that earlier answers of the case set. */
  readonly jar?: boolean;
  readonly digest?: { readonly user: string; readonly password: string };
  readonly repeat?: number;
  readonly parallel?: boolean;
  readonly only?: "set" | "count";
  /** Bytes to send instead of all the above; the parts of a list are sent half a second apart. */
  readonly raw?: string | readonly string[];
  /** The name of the answer in the expectation. */
  readonly name?: string;
  /** A further name of the affinity cookie. */
  readonly cookie?: string;
  readonly keepCookieValue?: boolean;
  readonly allHeaders?: boolean;
  /** Answer headers, in lower case, that are kept although they vary. */
  readonly show?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly proxyLine?: string;
  /** Seconds without a byte. */
  readonly timeout?: number;
  /** Seconds. */
  readonly slowerThan?: number;
  /**
   * The number of requests on one connection, with a pause of `every` seconds between two of them.
   */
  readonly same?: number;
  readonly every?: number;
}
export type HeaderValue = string | number | boolean;

export interface TlsSpec {
  /** The server name of the handshake: null for none, absent for the host. */
  readonly sni?: string | null;
  /** A certificate of the PKI. */
  readonly client?: "client" | "stranger";
  readonly version?: "TLSv1_2" | "TLSv1_3";
  readonly ciphers?: string;
  readonly curve?: string;
  readonly alpn?: readonly string[];
  /** Whether to record protocol and cipher. */
  readonly show?: boolean;
  /**
   * Whether to make a second handshake that offers the session of the first, after `resumeAfter`
   * seconds.
   */
  readonly resume?: boolean;
  readonly resumeAfter?: number;
}
