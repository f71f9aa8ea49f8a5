/**
 * Adds to a Source the addresses of the pool on which nginx can listen here. An address counts as
 * local if a program can listen on a free port of it. All others are tried again, because
 * keepalived may move an address to this Node at any time.
 */
import { createServer } from "node:net";
import { inBackground } from "../../base/callbacks.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { Source } from "../../core/sync/ports.ts";

export interface PoolOptions {
  readonly addresses: readonly string[];
  readonly clock: Clock;
  /** Whether a program on this machine can listen on the address. */
  readonly isLocal?: (address: string) => Promise<boolean>;
  /** Called with the local addresses after each change, for the log. */
  readonly report?: (local: ReadonlySet<string>) => void;
}

const againMs = 30_000;
const atATime = 32;

/** Returns the source itself if there is no pool. */
export function pooledSource(source: Source, options: PoolOptions, signal: AbortSignal): Source {
  return options.addresses.length === 0 ? source : new PooledSource(source, options, signal);
}

class PooledSource implements Source {
  readonly synced: Promise<void>;
  readonly #source: Source;
  readonly #options: PoolOptions;
  readonly #listeners = new Set<() => void>();
  #local: ReadonlySet<string> = new Set();
  #inner: Snapshot | undefined;
  #snapshot: Snapshot | undefined;

  constructor(source: Source, options: PoolOptions, signal: AbortSignal) {
    this.#source = source;
    this.#options = options;
    const first = this.#look();
    this.synced = Promise.all([source.synced, first]).then(() => {});
    inBackground(
      "the look at the pool of addresses",
      first.then(() => this.#keepLooking(signal)),
    );
    source.onChange(() => this.#announce());
  }

  snapshot(): Snapshot {
    const inner = this.#source.snapshot();
    if (this.#snapshot !== undefined && inner === this.#inner && this.#snapshot.localAddresses === this.#local)
      return this.#snapshot;
    this.#inner = inner;
    this.#snapshot = { ...inner, localAddresses: this.#local };
    return this.#snapshot;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }

  async #keepLooking(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#options.clock, againMs, signal);
      if (!signal.aborted && (await this.#look())) this.#announce();
    }
  }

  /** Returns whether something has changed. */
  async #look(): Promise<boolean> {
    const { addresses, isLocal = canListen, report } = this.#options;
    const found = new Set<string>();
    const rest = addresses.values();
    const tryRest = async () => {
      for (const address of rest) if (await isLocal(address)) found.add(address);
    };
    await Promise.all(Array.from({ length: atATime }, tryRest));
    if (found.size === this.#local.size && [...found].every((address) => this.#local.has(address))) return false;
    // The addresses are in the order of the pool, whichever test ended first.
    this.#local = new Set(addresses.filter((address) => found.has(address)));
    report?.(this.#local);
    return true;
  }
}

/**
 * Whether a program can listen on the address. Every failure counts, because nginx could not listen
 * there either.
 */
export function canListen(address: string): Promise<boolean> {
  return new Promise((answer) => {
    const server = createServer();
    server.once("error", () => answer(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => answer(true)));
  });
}
