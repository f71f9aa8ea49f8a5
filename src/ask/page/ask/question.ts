/** Reads a question of `sluice why` or of the page as a request or a stream. */
import { isIP } from "node:net";
import type { AskedRequest } from "../../matcher/request.ts";
import type { AskedStream } from "../../matcher/streams.ts";
import { urlParts } from "../../matcher/url.ts";
import type { AskQuestion } from "../api/ask.ts";
import { shown } from "../shown.ts";

/** Returns the text in quotes, on one line, with at most 100 characters. */
const quoted = (text: string): string => `"${shown(text, 100)}"`;

/** At least one of the two is given. With both it counts as a request if no stream takes it. */
export interface Asked {
  readonly request?: AskedRequest;
  readonly stream?: AskedStream;
}

/** Returns a sentence if the text is neither. */
export function askedIn(question: AskQuestion): Asked | string {
  const { url } = question;
  const [, scheme, name = "", digits, slash] =
    /^(?:(tcp|udp|tls):\/\/)?(\[[^\]/?#\s]*\]|[^/?#\s:]+)(?::(\d{1,5}))?(\/)?$/i.exec(url) ?? [];
  const protocol = scheme?.toLowerCase() as "tcp" | "udp" | "tls" | undefined;
  const port = digits === undefined && protocol === "tls" ? 443 : Number(digits);
  if (/^(tcp|udp|tls):\/\//i.test(url) && !isPort(port))
    return `${quoted(url)} is not a stream such as tcp://db.example.com:5432`;
  const host = name.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  const stream = { protocol: protocol ?? "any", host, port } as const;
  if (protocol === "tcp" || protocol === "udp") return { stream };
  const request = requestOf(protocol === undefined ? question : { ...question, url: `https://${name}:${port}/` });
  if (typeof request === "string") return request;
  const isStream = isPort(port) && (protocol !== undefined || slash === undefined);
  return isStream ? { request, stream } : { request };
}

const isPort = (port: number): boolean => port > 0 && port <= 65_535;

/** Returns the server name that clients send for the host of a URL: none for an address. */
function serverNameOf(host: string): string {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return isIP(name.replace(/^\[|\]$/g, "")) === 0 ? name : "";
}

/** Returns a sentence if the question is not about a request. */
function requestOf({ url, method = "GET", headers: given = {}, client }: AskQuestion): AskedRequest | string {
  const parts = urlParts(url);
  if (parts === undefined) return `${quoted(url)} is not a URL such as https://shop.example.com/cart`;
  const { scheme = "http", host, target } = parts;
  if (!/^[A-Za-z]+$/.test(method)) return `${quoted(method)} is not a method such as GET`;
  const stray = Object.entries(given).find(
    ([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(value),
  );
  if (stray !== undefined) return `${quoted(stray[0])} is not the name of a header, or its value has a line break`;
  if (client !== undefined && isIP(client) === 0) return `${quoted(client)} is not an IP address`;
  const headers = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const port = /:(\d+)$/.exec(host)?.[1];
  return {
    scheme,
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(headers.has("host") ? { sni: serverNameOf(host) } : {}),
    host: headers.get("host") ?? host,
    target,
    method: method.toUpperCase(),
    headers,
    ...(client === undefined ? {} : { client }),
  };
}
