/**
 * Reads requests from an access log: lines of JSON, lines of a known log_format, or the common form
 * that ingress-nginx, Traefik and most others begin with. Only GETs are taken, because nothing else
 * may be sent a second time.
 */
import { isCredential } from "../../core/model/credentials.ts";

export interface LoggedRequest {
  readonly target: string;
  readonly host?: string;
  readonly scheme?: "http" | "https";
  /**
   * `namespace-service-port` of `$proxy_upstream_name`, which finds the host if the log has
   * none.
   */
  readonly upstream?: string;
  /** Credentials that the log holds, by header. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns undefined if a line has no GET that can be sent. */
export type LineReader = (line: string) => LoggedRequest | undefined;

/**
 * Returns a reader for the lines of a log. `format`: a log_format of nginx; undefined for the
 * common form.
 */
export function lineReader(format: string | undefined): LineReader {
  const scan = format === undefined ? commonForm : scannerOf(format);
  return (line) => {
    const fields = format === undefined && line.startsWith("{") ? ofJson(line) : scan(line);
    return fields === undefined ? undefined : requestIn(fields);
  };
}

/** Values by the names of nginx's variables. */
type Fields = ReadonlyMap<string, string>;

function requestIn(fields: Fields): LoggedRequest | undefined {
  const [, ofLine, lineTarget] = /^([A-Z]+) (\S+) HTTP\/[\d.]+$/.exec(value(fields, "request") ?? "") ?? [];
  const method = value(fields, "request_method") ?? ofLine;
  const target = value(fields, "request_uri") ?? lineTarget ?? pathOf(fields);
  if (method !== "GET" || target === undefined) return undefined;
  const [, scheme, host, path = "/"] = /^(https?):\/\/([^/?]+)(.*)$/.exec(target) ?? [];
  const rest = scheme === undefined ? target : path;
  if (!rest.startsWith("/")) return undefined;
  const named = host ?? value(fields, "host") ?? value(fields, "http_host");
  const namedScheme = scheme ?? value(fields, "scheme");
  const upstream = value(fields, "proxy_upstream_name");
  return {
    target: rest,
    ...(named === undefined ? {} : { host: named.toLowerCase() }),
    ...(namedScheme === "http" || namedScheme === "https" ? { scheme: namedScheme } : {}),
    ...(upstream === undefined ? {} : { upstream }),
    headers: credentialsIn(fields),
  };
}

/** Returns undefined for an empty value, for which nginx writes a dash. */
function value(fields: Fields, name: string): string | undefined {
  const found = fields.get(name);
  return found === "-" || found === "" ? undefined : found;
}

/** Returns the path. `$uri` is decoded, so it is only usable if it needs no escapes. */
function pathOf(fields: Fields): string | undefined {
  const path = value(fields, "uri");
  if (path === undefined || /[^!-~]|[%?#]/.test(path)) return undefined;
  const args = value(fields, "args") ?? value(fields, "query_string");
  return args === undefined ? path : `${path}?${args}`;
}

function credentialsIn(fields: Fields): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, text] of fields) {
    const header = name.startsWith("http_") ? name.slice("http_".length).replaceAll("_", "-") : "";
    if (text !== "-" && text !== "" && isCredential(header)) headers[header] = text;
  }
  return headers;
}

/**
 * Names of fields in JSON logs, with the variable of nginx that each stands for; Traefik's are
 * among them.
 */
const jsonNames: Readonly<Record<string, readonly string[]>> = {
  request: ["request"],
  request_method: ["request_method", "method", "RequestMethod", "http_method", "verb"],
  request_uri: ["request_uri", "RequestPath", "uri_with_query", "url", "path"],
  uri: ["uri"],
  args: ["args", "query", "request_query", "query_string"],
  host: ["host", "vhost", "RequestHost", "http_host", "server_name", "domain"],
  scheme: ["scheme", "RequestScheme", "x_forwarded_proto"],
  proxy_upstream_name: ["proxy_upstream_name", "upstream_name"],
  http_authorization: ["http_authorization", "request_Authorization"],
  http_cookie: ["http_cookie", "request_Cookie"],
};

function ofJson(line: string): Fields | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const object = parsed as Readonly<Record<string, unknown>>;
  const fields = new Map<string, string>();
  for (const [variable, names] of Object.entries(jsonNames)) {
    const found = names.map((name) => object[name]).find((one) => typeof one === "string" && one !== "");
    if (typeof found === "string") fields.set(variable, found);
  }
  return fields;
}

/** Reads `… "GET /cart HTTP/1.1" 200 … [shop-web-80] …`. */
function commonForm(line: string): Fields | undefined {
  const [, request, after = ""] = /"([A-Z]+ \S+ HTTP\/[\d.]+)"(.*)$/.exec(line) ?? [];
  if (request === undefined) return undefined;
  const [, upstream] = / \[([\w.-]+)\](?: |$)/.exec(after) ?? [];
  return new Map([
    ["request", request],
    ...(upstream === undefined ? [] : [["proxy_upstream_name", upstream] as const]),
  ]);
}

/**
 * Reads a line by its log_format. Each variable ends where the text between it and the next one
 * begins.
 */
function scannerOf(format: string): (line: string) => Fields | undefined {
  const parts = format.split(/\$(?:\{(\w+)\}|(\w+))/);
  const [before = ""] = parts;
  return (line) => {
    if (!line.startsWith(before)) return undefined;
    const fields = new Map<string, string>();
    let at = before.length;
    for (let part = 1; part < parts.length; part += 3) {
      const name = parts[part] ?? parts[part + 1]!;
      const literal = parts[part + 2] ?? "";
      const end = literal === "" ? line.length : endOf(line, literal, at);
      if (end < 0) return undefined;
      fields.set(name, unescaped(line.slice(at, end)));
      at = end + literal.length;
    }
    return fields;
  };
}

/** Returns the position of `literal`, which ends a value. An escaped quote does not end it. */
function endOf(line: string, literal: string, from: number): number {
  let end = line.indexOf(literal, from);
  while (end > 0 && literal.startsWith('"') && /(?<!\\)(?:\\\\)*\\$/.test(line.slice(from, end)))
    end = line.indexOf(literal, end + 1);
  return end;
}

/**
 * Removes escapes: nginx writes quotes, backslashes and control characters as `\x22`, or as JSON
 * does.
 */
function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9A-F]{2})|(["\\/]))/g, (_, hex: string | undefined, sign: string) =>
    hex === undefined ? sign : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
