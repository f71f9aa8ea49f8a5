/** A question as a request: what `sluice why` and the page take. */
import { isIP } from "node:net";
import type { AskedRequest } from "../../decide/request.ts";
import type { AskQuestion } from "../api/ask.ts";

/** A sentence where it is none. */
export function requestOf({ url, method = "GET", headers: given = {}, client }: AskQuestion): AskedRequest | string {
  const [, scheme, host, target] =
    /^(?:(https?):\/\/)?(\[[^\]/?#\s]*\](?::\d+)?|[^/?#\s:]+(?::\d+)?)([/?][^\s]*)?$/i.exec(url) ?? [];
  if (host === undefined) return `${JSON.stringify(url)} is not a URL such as https://shop.example.com/cart`;
  if (!/^[A-Za-z]+$/.test(method)) return `${JSON.stringify(method)} is not a method such as GET`;
  const stray = Object.entries(given).find(
    ([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(value),
  );
  if (stray !== undefined)
    return `${JSON.stringify(stray[0])} is not the name of a header, or its value has a line break`;
  if (client !== undefined && isIP(client) === 0) return `${JSON.stringify(client)} is not an IP address`;
  const headers = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const port = /:(\d+)$/.exec(host)?.[1];
  return {
    scheme: (scheme?.toLowerCase() ?? "http") as AskedRequest["scheme"],
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(headers.has("host") ? { sni: host.replace(/:\d+$/, "").toLowerCase() } : {}),
    host: headers.get("host") ?? host,
    target: target === undefined ? "/" : target.startsWith("?") ? `/${target}` : target,
    method: method.toUpperCase(),
    headers,
    ...(client === undefined ? {} : { client }),
  };
}
