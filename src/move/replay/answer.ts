/** The answer of an address to one request. */
import type { IncomingHttpHeaders } from "node:http";
import { Agent as PlainAgent, request as plainRequest, type RequestOptions } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import type { Address } from "./address.ts";
import type { ReplayedRequest } from "./request.ts";

export type Answer =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** The body as it came, cut at `longestBody`. */
      readonly body: Buffer;
    }
  | { readonly ok: false; readonly why: string };

/** The bytes of a body that are compared. */
export const longestBody = 4 * 1024 * 1024;

export interface Asker {
  ask(request: ReplayedRequest): Promise<Answer>;
  close(): void;
}

/**
 * Sends a request to this address, as a client does when the host resolves to it. Certificates are
 * not verified, because an address that is not live yet often has another one. `timeoutMs` covers
 * the whole answer.
 */
export function askerOf(address: Address, timeoutMs: number): Asker {
  const agents = {
    http: new PlainAgent({ keepAlive: true }),
    https: new TlsAgent({ keepAlive: true, rejectUnauthorized: false }),
  };
  return {
    ask: (request) => answerOf(optionsOf(request, address, agents[request.scheme]), request, timeoutMs),
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function optionsOf(
  { method, scheme, host, target, headers }: ReplayedRequest,
  address: Address,
  agent: PlainAgent,
): RequestOptions & { servername?: string } {
  const place = address[scheme];
  if (place === undefined) throw new Error(`the address takes no ${scheme}`);
  const name = host.replace(/:\d+$/, "");
  // SNI allows no IP address.
  const servername = scheme === "http" || /^[\d.]+$|^\[/.test(name) ? "" : name;
  return {
    host: place.host,
    port: place.port,
    method,
    path: target,
    headers: { accept: "*/*", "user-agent": "sluice-compare", ...Object.fromEntries(headers), host },
    agent,
    servername,
  };
}

function answerOf(options: RequestOptions, { scheme, body }: ReplayedRequest, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const failed = (error: NodeJS.ErrnoException) => resolve({ ok: false, why: reasonOf(error, signal, timeoutMs) });
    const ask = scheme === "https" ? tlsRequest : plainRequest;
    let request: ReturnType<typeof ask>;
    try {
      request = ask({ ...options, signal });
    } catch (error) {
      return failed(error as Error);
    }
    request.on("error", failed);
    request.on("response", (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      const whole = () =>
        resolve({ ok: true, status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
      response.on("data", (part: Buffer) => {
        parts.push(part.subarray(0, longestBody - length));
        length += part.length;
        if (length < longestBody) return;
        whole();
        response.destroy();
      });
      response.on("end", whole);
      response.on("error", failed);
    });
    request.end(body);
  });
}

function reasonOf({ message, code }: NodeJS.ErrnoException, { aborted }: AbortSignal, timeoutMs: number): string {
  if (aborted) return `no whole answer within ${timeoutMs / 1000} s`;
  return message === "" ? String(code) : message;
}
