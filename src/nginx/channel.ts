/**
 * The way of records into nginx's shared memory: lines of JSON over a unix socket, each request with the controller's pass.
 * What a request can meet must be there before what names it, so certificates and upstreams go before routes, and go last.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "undici";
import { inOrder, type RecordChange } from "../model/records.ts";
import { type ConnectionFigures, readStubStatus } from "./figures.ts";
import { linesOf } from "./folder/journal.ts";
import type { Pass } from "./pass.ts";

export type PublishOutcome =
  | { readonly kind: "published"; readonly memory?: MemoryUse }
  /** A record does not fit into shared memory. */
  | { readonly kind: "full"; readonly memory: MemoryUse }
  | { readonly kind: "unreachable"; readonly cause: Error };

export interface MemoryUse {
  readonly capacityBytes: number;
  /** In whole free pages. */
  readonly freeBytes: number;
}

export interface MemoryState extends MemoryUse {
  /** Whose records the memory holds; empty in a new one. */
  readonly instance: string;
  /** How often records were written to it. */
  readonly writing: number;
}

const chunkSize = 200;

export class Channel {
  readonly #client: Client;

  readonly #headers: { readonly authorization: string };

  /** nginx's count of writings, as far as they are known to be this controller's. */
  #ownWriting: number | undefined;

  /** `pass` is the controller's. */
  constructor(socketPath: string, { authorization }: Pass) {
    this.#headers = { authorization };
    this.#client = new Client("http://sluice", { socketPath, headersTimeout: 10_000, bodyTimeout: 10_000 });
  }

  async publish(changes: readonly RecordChange[]): Promise<PublishOutcome> {
    const sorted = inOrder(changes);
    let outcome: PublishOutcome = { kind: "published" };
    for (let at = 0; at < sorted.length && outcome.kind === "published"; at += chunkSize)
      outcome = await this.#post(linesOf(sorted.slice(at, at + chunkSize)));
    return outcome;
  }

  /** nginx's count of writings where it shows that something else wrote since `acceptWriting`; undefined where it does not. */
  async otherWriting(): Promise<number | undefined> {
    const state = await this.state();
    return state === undefined || state.writing === this.#ownWriting ? undefined : state.writing;
  }

  /** What nginx's memory held at that count is known. */
  acceptWriting(count: number): void {
    this.#ownWriting = count;
  }

  /** Undefined while nginx does not answer. */
  async state(): Promise<MemoryState | undefined> {
    try {
      const { statusCode, body } = await this.#get("/records");
      const { reply, ...state } = readReply(await body.text());
      return statusCode === 200 ? { instance: reply, ...state } : undefined;
    } catch {
      return undefined;
    }
  }

  /** The sums of requests that workers have handed over since the last time, as lines of JSON; empty where nginx does not answer. */
  async counts(): Promise<string> {
    try {
      const { statusCode, body } = await this.#get("/counts");
      const text = await body.text();
      return statusCode === 200 ? text : "";
    } catch {
      return "";
    }
  }

  /** nginx's own figures, as stub_status gives them; undefined where it does not answer. */
  async connections(): Promise<ConnectionFigures | undefined> {
    try {
      const { statusCode, body } = await this.#get("/connections");
      const text = await body.text();
      return statusCode === 200 ? readStubStatus(text) : undefined;
    } catch {
      return undefined;
    }
  }

  /** What `nginx/lua/sluice/digest.lua` says; undefined where nothing does. */
  async digests(word: string, part?: number): Promise<readonly string[] | undefined> {
    try {
      const { statusCode, body } = await this.#get(`/digests?word=${word}${part === undefined ? "" : `&part=${part}`}`);
      const text = await body.text();
      return statusCode === 200 ? text.split("\n").slice(0, -1) : undefined;
    } catch {
      return undefined;
    }
  }

  async answers(limitMs: number): Promise<boolean> {
    const late = delay(limitMs, undefined, { ref: false });
    return (await Promise.race([this.connections(), late])) !== undefined;
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }

  #get(path: string) {
    return this.#client.request({ method: "GET", path, headers: this.#headers });
  }

  async #post(body: string): Promise<PublishOutcome> {
    const request = { method: "POST", path: "/records", headers: this.#headers, body } as const;
    try {
      // A worker that has just been told to go closes the connection that was kept. To write the same twice does no harm, and to write late
      // would: the workers that come may know nothing of what is there.
      const answer = await this.#client.request(request).catch(() => this.#client.request(request));
      const { reply, writing, ...memory } = readReply(await answer.body.text());
      if (writing - 1 === this.#ownWriting) this.#ownWriting = writing;
      if (answer.statusCode === 200) return { kind: "published", memory };
      if (answer.statusCode === 507) return { kind: "full", memory };
      return { kind: "unreachable", cause: new Error(`nginx answered ${answer.statusCode} to records: ${reply}`) };
    } catch (cause) {
      return { kind: "unreachable", cause: cause as Error };
    }
  }
}

/** Reads the four lines with which `nginx/lua/sluice/channel.lua` answers. */
function readReply(text: string): MemoryUse & { readonly reply: string; readonly writing: number } {
  const [reply = "", capacity, free, writing] = text.split("\n");
  return { reply, capacityBytes: Number(capacity), freeBytes: Number(free), writing: Number(writing) };
}
