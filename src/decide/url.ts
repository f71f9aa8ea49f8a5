/**
 * A URL as people write it, for questions about requests: `https://shop.example.com/cart?x=1`. The
 * host is not looked at any closer, because a question may be about one that nginx refuses.
 */

export interface UrlParts {
  /** Undefined where none is written. */
  readonly scheme?: "http" | "https";
  /** As it is written, with a port where there is one. */
  readonly host: string;
  /** Path and query, at least a slash; the fragment, which no client sends, is left out. */
  readonly target: string;
}

const shape = /^(?:(https?):\/\/)?(\[[^\]/?#\s]*\](?::\d+)?|[^/?#\s:@]+(?::\d+)?)([/?][^\s#]*)?(?:#\S*)?$/i;

/** Undefined where the text is no URL, names another scheme, or has a user. */
export function urlParts(text: string): UrlParts | undefined {
  const [, scheme, host, rest = "/"] = shape.exec(text) ?? [];
  if (host === undefined) return undefined;
  return {
    ...(scheme === undefined ? {} : { scheme: scheme.toLowerCase() as "http" | "https" }),
    host,
    target: rest.startsWith("/") ? rest : `/${rest}`,
  };
}
