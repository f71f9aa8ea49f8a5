/**
 * Adds to a Source the addresses of the pool on which nginx can listen here. An address counts as
 * local if a program can listen on a free port of it. All others are tried again, because
 * keepalived may move an address to this Node at any time.
 */
import { createServer } from "node:net";
import { inBackground } from "../../base/callbacks.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import { Layer } from "../../core/sync/layer.ts";
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

class PooledSource extends Layer {
  readonly #options: PoolOptions;
  #local: ReadonlySet<string> = new Set();

  constructor(source: Source, options: PoolOptions, signal: AbortSignal) {
    super(source, (below) => ({ ...below, localAddresses: this.#local }));
    this.#options = options;
    const first = this.#look();
    this.synced = Promise.all([source.synced, first]).then(() => {});
    inBackground(
      "the look at the pool of addresses",
      first.then(() => this.#keepLooking(signal)),
    );
  }

  async #keepLooking(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#options.clock, againMs, signal);
      if (!signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { addresses, isLocal = canListen, report } = this.#options;
    const found = new Set<string>();
    const rest = addresses.values();
    const tryRest = async () => {
      for (const address of rest) if (await isLocal(address)) found.add(address);
    };
    await Promise.all(Array.from({ length: atATime }, tryRest));
    if (found.size === this.#local.size && [...found].every((address) => this.#local.has(address))) return;
    // The addresses are in the order of the pool, whichever test ended first.
    this.#local = new Set(addresses.filter((address) => found.has(address)));
    report?.(this.#local);
    this.renew();
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
