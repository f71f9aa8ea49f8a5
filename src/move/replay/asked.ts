/** Sends one request to a local nginx, and returns the parts of the answer that can be compared. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AskedRequest } from "../../ask/matcher/request.ts";
import type { LocalNginx } from "../../tools/local-nginx.ts";
import type { Echo } from "./echoes.ts";
import { comparableLocation } from "./effect.ts";

/** An answer by field. If nginx writes the text of the answer itself, the status is enough. */
export type Answer = ReadonlyMap<string, string>;

/** Headers that differ from answer to answer, or belong to the connection. */
const volatile = new Set([
  "date",
  "connection",
  "content-length",
  "keep-alive",
  "etag",
  "transfer-encoding",
  "x-request-id",
]);
/** Headers that a backend gets and that may differ from request to request. */
const volatileSeen = new Set([
  "x-request-id",
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-port",
  "connection",
  "host-port",
]);

const patienceMs = 10_000;

export function ask(asked: AskedRequest, nginx: LocalNginx): Promise<Answer> {
  const { scheme, host, target, method, headers } = asked;
  const request = scheme === "https" ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: nginx[scheme],
        method,
        path: target,
        headers: { ...Object.fromEntries(headers), host },
        servername: host,
        rejectUnauthorized: false,
        agent: false,
        timeout: patienceMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString(), nginx)),
        );
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(new Map([["status", error.code ?? error.message]])));
    sent.end();
  });
}

function answerOf(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  { http, https }: LocalNginx,
): Answer {
  const withoutPort = (text: string) => text.replace(new RegExp(`:(?:${http}|${https})(?=[/?]|$)`, "g"), "");
  const known = Object.entries(headers).filter(([name]) => !volatile.has(name));
  const fields = known.map(([name, value]): [string, string] => {
    const text = String(value);
    if (name === "location") return ["header location", comparableLocation(withoutPort(text))];
    // The value of a cookie may differ from answer to answer; its name and attributes may not.
    return [`header ${name}`, name === "set-cookie" ? text.replace(/=[^;,]*/, "=") : text];
  });
  return new Map([["status", String(status)], ...fields, ...seenIn(body, withoutPort)]);
}

function seenIn(body: string, withoutPort: (text: string) => string): readonly [string, string][] {
  if (!body.startsWith('{"service":')) return [];
  const { service, method, url, headers } = JSON.parse(body) as Echo;
  const seen = Object.entries(headers).filter(([name]) => !volatileSeen.has(name));
  return [
    ["backend", service],
    ["the backend sees", `${method} ${url}`],
    ...seen.map(([name, value]): [string, string] => [`the backend sees ${name}`, withoutPort(String(value))]),
  ];
}
