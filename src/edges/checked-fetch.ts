/**
 * Fetches from addresses that a certificate names: its OCSP responder or its issuer. A tenant may
 * have written the certificate, so the address is checked as text, and again when its name is
 * resolved for this connection. The time and size of an answer are limited, and redirects are not
 * followed.
 */
import { lookup as lookUp } from "node:dns";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { type AskedPolicy, whyNotAsked, whyNotHost } from "../core/kinds/asked.ts";

const limitMs = 5_000;
const mostBytes = 64 * 1024;

export interface CheckedRequest {
  readonly url: string;
  readonly policy: AskedPolicy;
  readonly signal: AbortSignal;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/**
 * Returns the body of an answer with status 200. Rejects with a reason that completes a sentence
 * about the URL: `cannot be asked: …`, `answers 404`.
 */
export async function fetchChecked(asked: CheckedRequest): Promise<Uint8Array> {
  const { url, policy, signal } = asked;
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) throw new Error("cannot be asked: it is not an http URL");
  const port = Number(target.port || (target.protocol === "https:" ? 443 : 80));
  const why = whyNotHost(target.hostname, port, policy);
  if (why !== undefined) throw new NotAsked(why);
  const within = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const answer = await answerOf(asked, target, { lookup: checkedLookup(port, policy), signal: within });
  if (answer.statusCode !== 200) {
    answer.destroy();
    throw new Error(`answers ${answer.statusCode}`);
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error(`has an answer longer than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The policy forbids the address. It passes through the connection that asks for the lookup. */
class NotAsked extends Error {
  constructor(why: string) {
    super(`is not asked: ${why}`);
  }
}

function answerOf(
  { method = "GET", headers = {}, body }: CheckedRequest,
  target: URL,
  options: RequestOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = target.protocol === "https:" ? httpsRequest : httpRequest;
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const sent = request(target, { ...options, method, headers: { ...headers, ...length }, agent: false }, resolve);
    sent.on("error", (error) => reject(error instanceof NotAsked ? error : failure(error)));
    sent.end(body);
  });
}

function failure(error: Error): Error {
  return new Error(`cannot be asked: ${error.cause instanceof Error ? error.cause.message : error.message}`);
}

/**
 * Returns the addresses of a name that are allowed, so that the connection uses one of these and no
 * other.
 */
function checkedLookup(port: number, policy: AskedPolicy): LookupFunction {
  return (name, options, done) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const usable = found.filter(({ address }) => whyNotAsked(address, port, policy) === undefined);
      const [first] = usable;
      if (first === undefined) {
        const why = found.map(({ address }) => whyNotAsked(address, port, policy)).find((one) => one !== undefined);
        return done(new NotAsked(why ?? `${name} has no address`), []);
      }
      return options.all === true ? done(null, usable) : done(null, first.address, first.family);
    });
  };
}
