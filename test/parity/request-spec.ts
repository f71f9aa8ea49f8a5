/**
 * One request as a case writes it. Absent means the default that docs/ingress-nginx/corpus.md
 * names.
 */
export interface RequestSpec {
  /** Absent: no Host header and no SNI. */
  readonly host?: string;
  /** Sent as it is; `{x*5000}` becomes 5,000 times the letter x, here and in header values. */
  readonly path?: string;
  readonly method?: string;
  readonly scheme?: "http" | "https";
  readonly port?: number;
  readonly headers?: Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>;
  readonly body?: string | { readonly bytes: number };
  readonly tls?: TlsSpec;
  /** Sends the cookies that earlier answers of the case set. */
  readonly jar?: boolean;
  readonly digest?: { readonly user: string; readonly password: string };
  readonly repeat?: number;
  readonly parallel?: boolean;
  readonly only?: "set" | "count";
  /** Bytes instead of all the above; of a list, one part each half second. */
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
  /** The number of requests on one connection, one `every` that many seconds. */
  readonly same?: number;
  readonly every?: number;
}
export type HeaderValue = string | number | boolean;

export interface TlsSpec {
  /** Null: none. Absent: the host. */
  readonly sni?: string | null;
  /** A certificate of the PKI. */
  readonly client?: "client" | "stranger";
  readonly version?: "TLSv1_2" | "TLSv1_3";
  readonly ciphers?: string;
  readonly curve?: string;
  readonly alpn?: readonly string[];
  /** Records protocol and cipher. */
  readonly show?: boolean;
  /** A second handshake that offers the session of the first, `resumeAfter` that many seconds. */
  readonly resume?: boolean;
  readonly resumeAfter?: number;
}
