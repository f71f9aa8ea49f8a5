/**
 * Sends HTTP requests to one unix socket, on connections that are kept open, each with the same
 * pass.
 */
import { Agent, type IncomingMessage, request } from "node:http";
import type { Pass } from "./pass.ts";

export interface SocketClientOptions {
  readonly socketPath: string;
  readonly pass: Pass;
  /** Requests beyond this number wait. */
  readonly connections: number;
  /** A longer answer counts as a failure. */
  readonly mostBytes: number;
}

export interface SocketRequest {
  readonly path: string;
  /** A request with a body is a POST; any other is a GET. */
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface SocketAnswer {
  readonly status: number;
  readonly text: string;
}

export class SocketClient {
  readonly #options: SocketClientOptions;
  readonly #agent: Agent;

  constructor(options: SocketClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  }

  /** Rejects if no complete answer arrives before `signal` is aborted. */
  async send({ path, body, signal }: SocketRequest): Promise<SocketAnswer> {
    const { socketPath, pass } = this.#options;
    const method = body === undefined ? "GET" : "POST";
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const headers = { authorization: pass.authorization, ...length };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ socketPath, method, path, headers, agent: this.#agent, signal });
      sent.on("response", resolve).on("error", reject).end(body);
    });
    return { status: answer.statusCode ?? 0, text: await this.#textOf(answer) };
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #textOf(answer: IncomingMessage): Promise<string> {
    const { mostBytes } = this.#options;
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
    }
    return Buffer.concat(pieces).toString();
  }
}
