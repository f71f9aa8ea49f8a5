/**
 * Reads a URL as people write it, for questions about requests:
 * `https://shop.example.com/cart?x=1`. The host is not checked, because a question may be about a
 * host that nginx refuses.
 */

export interface UrlParts {
  /** Undefined if the text has none. */
  readonly scheme?: "http" | "https";
  /** As it is written, with a port if there is one. */
  readonly host: string;
  /** Path and query, at least a slash; the fragment, which no client sends, is left out. */
  readonly target: string;
}

const shape = /^(?:(https?):\/\/)?(\[[^\]/?#\s]*\](?::\d+)?|[^/?#\s:@]+(?::\d+)?)([/?][^\s#]*)?(?:#\S*)?$/i;

/** Returns undefined if the text is not a URL, has another scheme, or has a user. */
export function urlParts(text: string): UrlParts | undefined {
  const [, scheme, host, rest = "/"] = shape.exec(text) ?? [];
  if (host === undefined) return undefined;
  return {
    ...(scheme === undefined ? {} : { scheme: scheme.toLowerCase() as "http" | "https" }),
    host,
    target: rest.startsWith("/") ? rest : `/${rest}`,
  };
}
