/** One request that is sent to both addresses. */

export interface AskedRequest {
  readonly method: string;
  readonly scheme: "http" | "https";
  /** Lower case; with a port only where the client named one. */
  readonly host: string;
  /** Path and query as they are sent. */
  readonly target: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Methods that change nothing, so that their requests may be repeated. */
export const isSafe = ({ method }: AskedRequest): boolean => ["GET", "HEAD", "OPTIONS"].includes(method);

/** Two requests with the same key are the same request. */
export function keyOf({ method, scheme, host, target, headers, body = "" }: AskedRequest): string {
  return JSON.stringify([method, scheme, host, target, Object.entries(headers).sort(), body]);
}

const urlShape = /^(?:(https?):\/\/)?(\[[^\]/?#\s]*\](?::\d+)?|[^/?#\s:@]+(?::\d+)?)([/?]\S*)?$/i;

/**
 * Reads `https://shop.example.com/cart?x=1`. The scheme is http if none is given; undefined where
 * the text is no URL.
 */
export function requestOf(method: string, url: string, headers: AskedRequest["headers"]): AskedRequest | undefined {
  const [, scheme = "http", host, rest = "/"] = urlShape.exec(url) ?? [];
  if (host === undefined) return undefined;
  const target = rest.startsWith("/") ? rest : `/${rest}`;
  return {
    method,
    scheme: scheme.toLowerCase() as AskedRequest["scheme"],
    host: host.toLowerCase(),
    target: target.replace(/#.*$/, ""),
    headers,
  };
}
