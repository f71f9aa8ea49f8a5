/**
 * A request as nginx reads it: the host without its port, and the path as it is compared: decoded,
 * without dots and double slashes.
 */

export interface AskedRequest {
  readonly scheme: "http" | "https";
  /** The host as the client sent it, with or without a port. */
  readonly host: string;
  /** The path with its query, as the client sends it. */
  readonly target: string;
  readonly method: string;
  /** Headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The port of the URL. If it is undefined, it is the usual one of the scheme. */
  readonly port?: number;
  /**
   * The name in the TLS handshake, or empty if the client sends none. If it is undefined, it is
   * the host.
   */
  readonly sni?: string;
  /** The client's address; undefined if it is unknown. */
  readonly client?: string;
}

export interface ReadRequest {
  readonly host: string;
  /** The value of `$uri`. */
  readonly uri: string;
  /** The path and query as the client sends them, without scheme and host. */
  readonly requestUri: string;
  /** With its question mark, or empty. */
  readonly query: string;
}

/** The beginning of a target with a host, as nginx reads it: no user, escapes or fragment. */
const isAuthority = /^https?:\/\/(?:[a-z\d.-]+|\[[^\]/?#]*\])(?::\d*)?(?:[/?]|$)/i;

/** Returns undefined if nginx answers 400 before it looks for a host. */
export function readRequest({ host: written, target }: AskedRequest): ReadRequest | undefined {
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target);
  if (absolute && (!isAuthority.test(target) || contradict(absolute[1]!, written))) return undefined;
  const host = nameOf(absolute ? absolute[1]! : written);
  const local = absolute ? absolute[2]! : target;
  const [path = "", ...rest] = local.replace(/#.*$/s, "").split("?");
  const uri = normal(absolute && path === "" ? "/" : path);
  if (uri === undefined || host === undefined || !isHost(host)) return undefined;
  const query = rest.length === 0 ? "" : `?${rest.join("?")}`;
  return {
    host,
    uri,
    requestUri: local.startsWith("/") ? local : `/${query === "?" ? "" : query}`,
    query,
  };
}

/** Whether the text can be a host (nginx/lua/sluice/route/hosts.lua). */
function isHost(text: string): boolean {
  return text === "" || (text.length <= 253 && /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])$/.test(text));
}

/**
 * Whether the request names two hosts: nginx answers 400 if the Host header has another host or
 * port than the target (nginx/lua/sluice/route/hosts.lua).
 */
function contradict(target: string, header: string): boolean {
  if (header === "") return false;
  const portOf = (authority: string): string => /:(\d+)$/.exec(authority)?.[1] ?? "";
  const [own, other] = [portOf(target), portOf(header)];
  return nameOf(target) !== nameOf(header) || (own !== "" && other !== "" && own !== other);
}

/** Returns the name as nginx compares it: in lower case and without its last dot. */
function nameOf(written: string): string | undefined {
  const [, name = ""] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(written) ?? [];
  return /[\s/\0]|\.\./.test(name) ? undefined : name.toLowerCase().replace(/\.$/, "");
}

/**
 * Decodes the path once, joins slashes and resolves dots. Returns undefined if the path leaves
 * the root or has a wrong escape.
 */
function normal(path: string): string | undefined {
  if (!path.startsWith("/") || /%(?![0-9a-f]{2})|%00/i.test(path)) return undefined;
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const decoded = Buffer.from(
    Buffer.from(path, "utf8").equals(Buffer.from(path, "latin1")) ? bytes : path,
    "latin1",
  ).toString("utf8");
  const kept: string[] = [];
  const parts = decoded.split("/").slice(1);
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    if (part === "..") {
      if (kept.length === 0) return undefined;
      kept.pop();
    } else if (part !== "." && part !== "") kept.push(part);
    if (isLast && (part === "" || part === "." || part === "..")) kept.push("");
  }
  return `/${kept.join("/")}`;
}
