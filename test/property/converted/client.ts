/** Sends one request and returns the parts of the answer that can be compared, by field. */
import { comparableLocation } from "../../../src/move/replay/effect.ts";
import { type Answer, request } from "../../nginx/support/request.ts";
import { ofObjects } from "../../parity/converted-differences.ts";
import type { Seen } from "../../support/echo-backend.ts";
import type { DrawnRequest } from "./requests.ts";

export type Fields = ReadonlyMap<string, string>;

/** Headers that differ from answer to answer, or are about the connection alone. */
const ofConnection = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

/** The client's address. Both sides get the same one, because backends see it. */
export const client = "192.0.2.3";

export async function answerTo(asked: DrawnRequest, address: string): Promise<Fields> {
  const { secure, host, method, headers, body } = asked;
  const to = `${address}:${secure ? 443 : 80}`;
  const sent = { "x-request-id": "0123456789abcdef0123456789abcdef", "content-length": body.length, ...headers };
  try {
    const sni = secure ? { sni: host } : {};
    return fieldsOf(
      await request({ to, from: client, host, method, path: targetOf(asked), headers: sent, body, ...sni }),
    );
  } catch (error) {
    return new Map([["status", String((error as NodeJS.ErrnoException).code ?? error)]]);
  }
}

export function targetOf({ path, query }: Pick<DrawnRequest, "path" | "query">): string {
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

function fieldsOf({ status, headers, body, certificate = "" }: Answer): Fields {
  const known = Object.entries(headers).filter(([name]) => !ofConnection.has(name));
  const seen = seenIn(body);
  return new Map([
    ["status", String(status)],
    ["certificate", certificate],
    ...known.map(([name, value]): [string, string] => [`header ${name}`, comparable(name, String(value))]),
    ...seen,
  ]);
}

/**
 * Replaces the parts of a header's value that differ from answer to answer, such as the date of a
 * cookie, and the secret value of a session's cookie.
 */
function comparable(name: string, value: string): string {
  if (name === "content-length") return "one";
  if (name === "location") return comparableLocation(value);
  if (name !== "set-cookie") return value;
  return value.replace(/=[0-9a-f.|]{20,}/g, "=VALUE").replace(/expires=[^;]*/gi, "Expires=DATE");
}

/** Behind a rewrite, routes keep the client's spelling of a path, and Ingresses decode it. */
function decodedPath(url: string): string {
  const [path = "", query] = url.split(/(?=\?)/);
  return path.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent).replace(/\/\/+/g, "/") + (query ?? "");
}

function seenIn(body: string): readonly [string, string][] {
  if (!body.startsWith('{"backend":')) return [["body", body]];
  const { backend, headers, url, method, scheme, httpVersion, body: sent } = JSON.parse(body) as Seen;
  return [
    ["backend", `${scheme} ${backend}`],
    ["the backend sees", `${method} ${decodedPath(url)} HTTP/${httpVersion}`],
    ["the backend sees the body", sent],
    ...Object.entries(headers).map(([name, value]): [string, string] => {
      // Backends for error pages read the name of the route (docs/move.md).
      return [`the backend sees ${name}`, ofObjects[name]?.(value) ?? value];
    }),
  ];
}

export function differingFields(one: Fields, other: Fields): readonly string[] {
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.filter((name) => one.get(name) !== other.get(name));
}
