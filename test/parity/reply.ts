/**
 * Reads HTTP/1 answers from a socket, one after the other. Sluice's tests have their own reader,
 * because a case must see every header unchanged and in order, and because answers to malformed
 * bytes count as well. Data that arrived before a reset is still read.
 */
import type { Socket } from "node:net";
import { Unanswered } from "./unanswered.ts";

export interface Reply {
  readonly status: number;
  /** The headers in their order, with names in lower case; repeated headers stay apart. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Whether the server keeps the connection, according to the headers of the answer. */
  readonly kept: boolean;
}

export class ReplyReader {
  readonly #timeoutMs: number;
  #unread = Buffer.alloc(0);
  #ended = false;
  #error: unknown;
  #arrived: () => void = () => {};

  /** `timeoutMs`: how long to wait for the next byte. */
  constructor(socket: Socket, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    const note = (change: () => void) => {
      change();
      this.#arrived();
    };
    socket.on("data", (chunk: Buffer) => note(() => (this.#unread = Buffer.concat([this.#unread, chunk]))));
    socket.on("error", (error) => note(() => (this.#error = error)));
    socket.on("end", () => note(() => (this.#ended = true)));
    socket.on("close", () => note(() => (this.#ended = true)));
  }

  /**
   * Reads one answer. Throws `Unanswered` when there is none, or only a part of it. `100 Continue`
   * is skipped.
   */
  async read(method: string): Promise<Reply> {
    const statusLine = await this.#line();
    if (statusLine === undefined) throw new Unanswered("error", "RemoteDisconnected");
    const [, version, code] = /^HTTP\/(\d\.\d) (\d{3})/.exec(statusLine) ?? [];
    if (!version || !code) throw new Unanswered("error", "BadStatusLine");
    const status = Number(code);
    const headers = await this.#headers();
    if (status === 100) return this.read(method);
    const value = (name: string): string => headers.find(([n]) => n === name)?.[1].toLowerCase() ?? "";
    const bodiless = method === "HEAD" || status === 101 || status === 204 || status === 304;
    const chunked = value("transfer-encoding") === "chunked";
    const length = value("content-length");
    const asked = version === "1.1" ? value("connection") !== "close" : value("connection") === "keep-alive";
    const kept = asked && (bodiless || chunked || length !== "");
    const body = bodiless
      ? Buffer.alloc(0)
      : chunked
        ? this.#chunks()
        : length
          ? this.#bytes(Number(length))
          : this.#rest();
    return { status, headers, body: await body, kept };
  }

  async #headers(): Promise<[string, string][]> {
    const headers: [string, string][] = [];
    for (let line = await this.#line(); line; line = await this.#line()) {
      const colon = line.indexOf(":");
      headers.push([line.slice(0, colon).toLowerCase(), line.slice(colon + 1).replace(/^[ \t]+/, "")]);
    }
    return headers;
  }

  async #chunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.#line()) ?? "", 16);
      if (Number.isNaN(size)) throw new Unanswered("error", "IncompleteRead");
      if (size === 0) break;
      chunks.push(await this.#bytes(size));
      await this.#line();
    }
    await this.#headers();
    return Buffer.concat(chunks);
  }

  /** Reads a line and returns it without its line break; undefined at the end of the stream. */
  async #line(): Promise<string | undefined> {
    while (!this.#unread.includes("\n")) if (!(await this.#more())) return undefined;
    const end = this.#unread.indexOf("\n");
    return this.#take(end + 1)
      .toString("latin1")
      .replace(/\r?\n$/, "");
  }

  async #bytes(count: number): Promise<Buffer> {
    while (this.#unread.length < count) if (!(await this.#more())) throw new Unanswered("error", "IncompleteRead");
    return this.#take(count);
  }

  async #rest(): Promise<Buffer> {
    while (await this.#more());
    return this.#take(this.#unread.length);
  }

  #take(count: number): Buffer {
    const taken = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return taken;
  }

  /** Waits for more bytes; returns false at the end of the stream. */
  async #more(): Promise<boolean> {
    const before = this.#unread.length;
    const done = (): boolean => this.#unread.length > before || this.#ended || this.#error !== undefined;
    if (!done()) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#arrived = resolve;
      const timer = setTimeout(() => reject(new Unanswered("error", "TimeoutError")), this.#timeoutMs);
      await promise.finally(() => clearTimeout(timer));
    }
    if (this.#unread.length > before) return true;
    if (this.#error !== undefined) throw Unanswered.from(this.#error);
    return false;
  }
}
