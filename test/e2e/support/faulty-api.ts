/**
 * An HTTP proxy before the API server that gives wrong answers on purpose: those of an overloaded
 * server, a load balancer or a broken gateway. (`faulty-proxy.ts` breaks connections; it sees only
 * TLS.) Clients send it plain HTTP, and it sends TLS to the server.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { Cluster } from "./cluster.ts";

export const httpFaults = [
  /** 429 with Retry-After. */
  "too-many",
  "broken",
  "unavailable",
  /** 410: the resourceVersion is too old. */
  "gone",
  /** A 200 with some web page. */
  "page",
  /** JSON that is neither a list nor an event. */
  "nonsense",
  /** Half of the server's answer, and then a regular end. */
  "truncated",
  /** An empty 200: a watch that ends at once. */
  "empty",
] as const;

export type HttpFault = (typeof httpFaults)[number];

export class FaultyApi {
  readonly #server: Server;
  readonly #upstream: Agent;
  readonly #target: URL;
  /**
   * Every request gets this answer while it is set. While it is undefined, requests get the real
   * one.
   */
  fault: HttpFault | undefined;
  /** A request for which this is true gets no answer, and does not reach the server. */
  swallows: (asked: IncomingMessage) => boolean = () => false;
  /** The number of wrong answers so far. */
  readonly met: HttpFault[] = [];
  /** The number of requests so far. */
  requests = 0;
  readonly #watches = new Set<ServerResponse>();

  constructor({ url, authority }: Pick<Cluster, "url" | "authority">) {
    this.#target = new URL(url);
    this.#upstream = new Agent({ keepAlive: true, ca: readFileSync(authority.certificateFile) });
    this.#server = createServer((asked, answer) => {
      this.requests += 1;
      const { fault } = this;
      if (this.swallows(asked)) return void asked.resume();
      if (fault !== undefined) this.met.push(fault);
      if (fault === undefined || fault === "truncated") this.#forward(asked, answer, fault === "truncated");
      else answerWrongly(answer, fault);
    });
  }

  async listen(host: string): Promise<string> {
    await new Promise<void>((ready) => this.#server.listen(0, host, ready));
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open now. */
  open(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count)));
  }

  /** Sends these bytes in every open watch, as a broken proxy would. Returns how many there are. */
  inject(bytes: Buffer): number {
    for (const watch of this.#watches) watch.write(bytes);
    return this.#watches.size;
  }

  /** Ends every connection that is open now. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
    this.#upstream.destroy();
  }

  #forward(asked: IncomingMessage, answer: ServerResponse, half: boolean): void {
    const { method, url: path, headers } = asked;
    const { hostname, port } = this.#target;
    const sent = request({ hostname, port, method, path, headers, agent: this.#upstream }, (response) => {
      const { "content-length": _length, ...kept } = response.headers;
      answer.writeHead(response.statusCode ?? 502, kept);
      response.on("error", () => answer.destroy());
      if (asked.url?.includes("watch=true")) this.#watches.add(answer);
      if (!half) return void response.pipe(answer);
      response.once("data", (chunk: Buffer) => {
        answer.end(chunk.subarray(0, chunk.length >> 1));
        response.destroy();
      });
      response.once("end", () => answer.end());
    });
    sent.on("error", () => answer.destroy());
    answer.once("close", () => {
      this.#watches.delete(answer);
      sent.destroy();
    });
    asked.pipe(sent);
  }
}

function answerWrongly(answer: ServerResponse, fault: Exclude<HttpFault, "truncated">): void {
  const json = { "content-type": "application/json" };
  switch (fault) {
    case "too-many":
      answer.writeHead(429, { ...json, "retry-after": "1" }).end(status(429, "TooManyRequests"));
      break;
    case "broken":
      answer.writeHead(500, json).end(status(500, "InternalError"));
      break;
    case "unavailable":
      answer.writeHead(503, { "content-type": "text/plain" }).end("upstream connect error");
      break;
    case "gone":
      answer.writeHead(410, json).end(status(410, "Expired"));
      break;
    case "page":
      answer.writeHead(200, { "content-type": "text/html" }).end("<html><body>Please log in</body></html>\n");
      break;
    case "nonsense":
      answer.writeHead(200, json).end(`{"type":"ADDED","items":{"hello":1}}\n`);
      break;
    case "empty":
      answer.writeHead(200, json).end();
  }
}

const status = (code: number, reason: string) =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `a fault: ${reason}` });
