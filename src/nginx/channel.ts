/**
 * Writes records into nginx's shared memory: lines of JSON over a unix socket, each request with
 * the controller's pass. A record must exist before another one names it, so certificates and
 * upstreams are written before routes, and removed after them.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionFigures } from "../core/model/nginx-figures.ts";
import { inOrder, type RecordChange } from "../core/model/records.ts";
import { readStubStatus } from "./figures.ts";
import { linesOf } from "./folder/journal.ts";
import type { Pass } from "./pass.ts";
import { type SocketAnswer, SocketClient } from "./socket-client.ts";

export type PublishOutcome =
  | { readonly kind: "published"; readonly memory?: MemoryUse }
  /** A record does not fit into shared memory. */
  | { readonly kind: "full"; readonly memory: MemoryUse }
  | { readonly kind: "unreachable"; readonly cause: Error };

export interface MemoryUse {
  readonly capacityBytes: number;
  /** The size of free whole pages. */
  readonly freeBytes: number;
}

export interface MemoryState extends MemoryUse {
  /** The instance whose records are in memory; empty in a new memory. */
  readonly instance: string;
  /** The number of writes so far. */
  readonly writing: number;
}

/** The figures of balancing about an endpoint. */
export interface PeerFigures {
  /** Moving average of its answer times; undefined if none is kept. */
  readonly answerSeconds: number | undefined;
  /** Requests that went on to another try after it, in the last ten minutes. */
  readonly failures: number;
}

/** A new nginx loads the records that the controller has kept, as its first write (journal.lua). */
const writingOfLoad = 1;
const chunkSize = 200;
const limitMs = 10_000;
/**
 * The limit for an answer. Counts of requests are the longest: thousands of hosts, each with all
 * its labels.
 */
const longestAnswer = 256 * 1024 * 1024;

export class Channel {
  readonly #client: Pick<SocketClient, "send" | "close">;

  /** nginx's number of writes after the last one that is known to be this controller's own. */
  #ownWriting = writingOfLoad;

  /** `pass` is the controller's password. `client` sends the requests in place of the socket. */
  constructor(socketPath: string, pass: Pass, client?: Pick<SocketClient, "send" | "close">) {
    this.#client = client ?? new SocketClient({ socketPath, pass, connections: 1, mostBytes: longestAnswer });
  }

  async publish(changes: readonly RecordChange[]): Promise<PublishOutcome> {
    const sorted = inOrder(changes);
    let outcome: PublishOutcome = { kind: "published" };
    for (let at = 0; at < sorted.length && outcome.kind === "published"; at += chunkSize)
      outcome = await this.#post(linesOf(sorted.slice(at, at + chunkSize)));
    return outcome;
  }

  /**
   * Returns nginx's number of writes if something else has written since `acceptWriting`; otherwise
   * undefined.
   */
  async otherWriting(): Promise<number | undefined> {
    const state = await this.state();
    return state === undefined || state.writing === this.#ownWriting ? undefined : state.writing;
  }

  /** Notes that the content of nginx's memory at that number of writes is known. */
  acceptWriting(count: number): void {
    this.#ownWriting = count;
  }

  /** Returns the state of shared memory; undefined while nginx does not answer. */
  async state(): Promise<MemoryState | undefined> {
    const text = await this.#answer("/records");
    if (text === undefined) return undefined;
    const { reply, ...state } = readReply(text);
    return { instance: reply, ...state };
  }

  /**
   * Returns the sums of requests that workers have handed over since the last call, as lines of
   * JSON; empty if nginx does not answer.
   */
  async counts(): Promise<string> {
    return (await this.#answer("/counts")) ?? "";
  }

  /**
   * Returns the counts of `nginx/lua/sluice/gateway/shadow.lua` as lines of JSON; empty if no
   * Gateway is served.
   */
  async shadow(): Promise<string> {
    return (await this.#answer("/shadow")) ?? "";
  }

  /** Returns nginx's own figures from stub_status; undefined if nginx does not answer. */
  async connections(): Promise<ConnectionFigures | undefined> {
    const text = await this.#answer("/connections");
    return text === undefined ? undefined : readStubStatus(text);
  }

  /** Returns the answer of `nginx/lua/sluice/digest.lua`; undefined if there is none. */
  async digests(word: string, part?: number): Promise<readonly string[] | undefined> {
    const text = await this.#answer(`/digests?word=${word}${part === undefined ? "" : `&part=${part}`}`);
    return text?.split("\n").slice(0, -1);
  }

  /**
   * Returns the figures of balancing about these peers, `address:port`, at most 500. Returns
   * undefined if nginx does not answer.
   */
  async peers(addresses: readonly string[]): Promise<ReadonlyMap<string, PeerFigures> | undefined> {
    if (addresses.length === 0) return new Map();
    const text = await this.#answer("/peers", addresses.join("\n"));
    return text === undefined ? undefined : peerFigures(addresses, text);
  }

  async answers(limitMs: number): Promise<boolean> {
    const late = delay(limitMs, undefined, { ref: false });
    return (await Promise.race([this.connections(), late])) !== undefined;
  }

  close(): void {
    this.#client.close();
  }

  /** Returns the text of an answer that is 200; undefined if there is none. */
  async #answer(path: string, body?: string): Promise<string | undefined> {
    try {
      const { status, text } = await this.#send(path, body);
      return status === 200 ? text : undefined;
    } catch {
      return undefined;
    }
  }

  #send(path: string, body?: string): Promise<SocketAnswer> {
    return this.#client.send({ path, body, signal: AbortSignal.timeout(limitMs) });
  }

  async #post(body: string): Promise<PublishOutcome> {
    const send = () => this.#send("/records", body);
    try {
      // A worker that is about to end closes the kept connection, so the request is repeated.
      // Writing twice does no harm, but writing late would: new workers may lack the records.
      const { status, text } = await send().catch(send);
      const { reply, writing, ...memory } = readReply(text);
      if (writing - 1 === this.#ownWriting) this.#ownWriting = writing;
      if (status === 200) return { kind: "published", memory };
      if (status === 507) return { kind: "full", memory };
      return { kind: "unreachable", cause: new Error(`nginx answered ${status} to records: ${reply}`) };
    } catch (cause) {
      return { kind: "unreachable", cause: cause as Error };
    }
  }
}

/** Reads the lines of `nginx/lua/sluice/balance/ewma.lua`, one for each address. */
function peerFigures(addresses: readonly string[], text: string): ReadonlyMap<string, PeerFigures> {
  const lines = text.split("\n");
  return new Map(
    addresses.map((address, at) => {
      const [time = "-", failures = "0"] = (lines[at] ?? "").split(" ");
      return [address, { answerSeconds: time === "-" ? undefined : Number(time), failures: Number(failures) }];
    }),
  );
}

/** Reads the four lines of `nginx/lua/sluice/channel.lua`. */
function readReply(text: string): MemoryUse & { readonly reply: string; readonly writing: number } {
  const [reply = "", capacity, free, writing] = text.split("\n");
  return { reply, capacityBytes: Number(capacity), freeBytes: Number(free), writing: Number(writing) };
}
