/**
 * One HTTP request to the API server. It uses HTTP/1.1, so every watch has a connection of its own
 * and a stalled one stalls nothing else. Each TLS identity has its own agents (connection pools):
 * when an authority or client certificate is rotated, new requests get new connections.
 */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { callback } from "../base/callbacks.ts";
import type { Clock } from "../base/timing/clock.ts";
import { type Answer, failed, ownFailure, succeeded } from "./answer.ts";
import type { Credentials, Proof, TlsIdentity } from "./credentials.ts";

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: string;
  readonly contentType?: string;
  /** The requested form of the answer; plain JSON if it is absent. */
  readonly accept?: string | undefined;
  /** Whether the body may come packed (gzip). The server packs large pages of lists, no watches. */
  readonly packed?: boolean;
  /** The time limit for the head of the answer. */
  readonly headTimeoutMs: number;
  readonly signal: AbortSignal;
}

export interface TransportResponse {
  readonly code: number;
  readonly retryAfter: string | undefined;
  /** Must be read to its end or destroyed. */
  readonly body: IncomingMessage;
}

export class Transport {
  readonly #credentials: Credentials;
  readonly #userAgent: string;
  readonly #clock: Clock;
  #pool: { readonly tls: TlsIdentity; readonly agent: HttpAgent } | undefined;

  constructor(credentials: Credentials, userAgent: string, clock: Clock) {
    this.#credentials = credentials;
    this.#userAgent = userAgent;
    this.#clock = clock;
  }

  /** Sends a request and never rejects: a failed request resolves with one of `ownReasons`. */
  async send(wanted: TransportRequest): Promise<Answer<TransportResponse>> {
    let proof: Proof;
    try {
      proof = await this.#credentials.proof();
    } catch (cause) {
      return failed(ownFailure("unreachable", `credentials: ${(cause as Error).message}`));
    }
    if (wanted.signal.aborted) return failed(ownFailure("aborted", "stopped before it was sent"));
    return new Promise((answer) => {
      const request = this.#start(wanted, proof);
      const fail = (reason: "unreachable" | "silent" | "aborted", message: string) => {
        answer(failed(ownFailure(reason, message)));
        request.destroy();
      };
      const aborted = () => fail("aborted", "stopped while it ran");
      wanted.signal.addEventListener("abort", aborted, { once: true });
      const cancel = this.#clock.schedule(wanted.headTimeoutMs, () =>
        fail("silent", `no answer within ${wanted.headTimeoutMs} ms`),
      );
      request.once(
        "close",
        callback("the end of a request", () => wanted.signal.removeEventListener("abort", aborted)),
      );
      request.on(
        "error",
        callback("the end of a request", (cause: NodeJS.ErrnoException) => {
          cancel();
          fail("unreachable", `${cause.code ?? cause.name}: ${cause.message}`);
        }),
      );
      request.once(
        "response",
        callback("the answer to a request", (body: IncomingMessage) => {
          cancel();
          answer(succeeded({ code: body.statusCode ?? 0, retryAfter: body.headers["retry-after"], body }));
        }),
      );
      request.end(wanted.body);
    });
  }

  /** Closes every connection, including those in use. */
  close(): void {
    this.#pool?.agent.destroy();
    this.#pool = undefined;
  }

  #start(
    { method, path, query = {}, body, contentType, accept, packed }: TransportRequest,
    proof: Proof,
  ): ClientRequest {
    const url = new URL(this.#credentials.server);
    url.pathname = url.pathname.replace(/\/$/, "") + path;
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`);
    const headers = {
      accept: accept ?? "application/json",
      ...(packed === true && { "accept-encoding": "gzip" }),
      "user-agent": this.#userAgent,
      ...(body === undefined ? {} : bodyHeaders(body, contentType)),
      ...proof.headers,
    };
    const send = url.protocol === "http:" ? httpRequest : httpsRequest;
    return send(url, { method, headers, agent: this.#agentFor(proof.tls) });
  }

  #agentFor(tls: TlsIdentity): HttpAgent {
    if (this.#pool && sameIdentity(this.#pool.tls, tls)) return this.#pool.agent;
    if (this.#pool) retire(this.#pool.agent);
    const options = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 8 };
    const { newAgent = this.#newAgent } = this.#credentials;
    this.#pool = { tls, agent: newAgent({ ...options, ...tls }) };
    return this.#pool.agent;
  }

  #newAgent = (options: AgentOptions): HttpAgent =>
    this.#credentials.server.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
}

/**
 * Returns the headers of a body. The length is given because node frames the body of a DELETE in no
 * other way; the server would read the body as the next request.
 */
const bodyHeaders = (body: string, contentType = "application/json") => ({
  "content-type": contentType,
  "content-length": Buffer.byteLength(body),
});

/** Closes idle connections, and every other connection when its request has ended. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
}

function sameIdentity(one: TlsIdentity, other: TlsIdentity): boolean {
  const same = (a?: string | Buffer, b?: string | Buffer) => a === b || `${a ?? ""}` === `${b ?? ""}`;
  const { ca, cert, key } = one;
  const plain = one.servername === other.servername && one.rejectUnauthorized === other.rejectUnauthorized;
  return plain && same(ca, other.ca) && same(cert, other.cert) && same(key, other.key);
}
