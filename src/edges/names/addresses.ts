/**
 * A Source that adds the addresses of its ExternalName Services to the Snapshot. Each name is
 * looked up again when its answer has aged. A name that does not exist any more loses its
 * addresses; while no nameserver answers, the last ones are kept, because the backend is probably
 * still there.
 */
import { isIP } from "node:net";
import { inBackground } from "../../base/callbacks.ts";
import { guarded } from "../../base/guarded.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import { Dependencies } from "../../core/model/dependencies.ts";
import type { Service } from "../../core/model/objects.ts";
import { emptySnapshot, type Snapshot } from "../../core/model/snapshot.ts";
import { Layer } from "../../core/sync/layer.ts";
import type { Source } from "../../core/sync/ports.ts";
import type { Found, Lookup } from "./lookup.ts";

export interface AddressOptions {
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly report: (event: NameEvent) => void;
}

export type NameEvent =
  | { readonly kind: "failed"; readonly name: string; readonly why: string }
  | { readonly kind: "found"; readonly name: string; readonly addresses: readonly string[]; readonly changed: boolean };

/** The shortest and the longest time until a name is looked up again. */
const [shortestMs, longestMs] = [1_000, 3_600_000];
const failedMs = 2_000;
/** The most time that a start waits for the first answers. */
const patienceMs = 3_000;

export function withAddresses(source: Source, options: AddressOptions, signal: AbortSignal): Source {
  return new AddressedSource(source, options, signal);
}

class AddressedSource extends Layer {
  readonly #source: Source;
  readonly #options: AddressOptions;
  readonly #signal: AbortSignal;
  /** Services by the name that they stand for. */
  readonly #services = new Dependencies();
  /** The names that are looked up repeatedly. An abort ends that. */
  readonly #followed = new Map<string, AbortController>();
  #seen: Snapshot = emptySnapshot;
  #addresses = emptySnapshot.addresses;

  constructor(source: Source, options: AddressOptions, signal: AbortSignal) {
    super(
      source,
      (below) => ({ ...below, addresses: this.#addresses }),
      () => inBackground("the look-up of names", this.#look()),
    );
    this.#source = source;
    this.#options = options;
    this.#signal = signal;
    this.synced = this.#start();
  }

  async #start(): Promise<void> {
    await this.#source.synced;
    const first = this.#look();
    await Promise.race([first, sleep(this.#options.clock, patienceMs, this.#signal)]);
  }

  /**
   * Starts to look up the present names repeatedly. Resolves when each new name has had its first
   * answer.
   */
  async #look(): Promise<void> {
    const now = this.#source.snapshot();
    const changes = now.services.changesSince(this.#seen.services);
    this.#seen = now;
    const first: Promise<void>[] = [];
    for (const { key, after } of changes) {
      const before = this.#services.usedBy(key);
      // A Service on which Sluice fails has no name; the Translator reports it.
      const names = guarded(
        () => namesOf(after),
        () => [],
      );
      this.#services.set(key, names);
      for (const name of before) if (!this.#services.isUsed(name)) this.#leave(name);
      for (const name of this.#services.usedBy(key)) if (!this.#followed.has(name)) first.push(this.#follow(name));
    }
    await Promise.all(first);
  }

  /** Looks a name up repeatedly. Resolves after the first answer. */
  #follow(name: string): Promise<void> {
    const stop = new AbortController();
    this.#followed.set(name, stop);
    const answered = Promise.withResolvers<void>();
    inBackground(
      "the look-up of names",
      this.#askRepeatedly(name, AbortSignal.any([stop.signal, this.#signal]), answered.resolve),
    );
    return answered.promise;
  }

  async #askRepeatedly(name: string, signal: AbortSignal, answered: () => void): Promise<void> {
    while (!signal.aborted) {
      const found = await this.#options.lookup(name);
      const againMs = signal.aborted ? 0 : this.#take(name, found);
      answered();
      await sleep(this.#options.clock, againMs, signal);
    }
  }

  /** Returns how long the answer is valid. */
  #take(name: string, found: Found): number {
    if (found.kind === "failed") {
      this.#options.report({ kind: "failed", name, why: found.why });
      return failedMs;
    }
    const { addresses, ttlMs } = found;
    const changed = this.#addresses.get(name)?.join(" ") !== addresses.join(" ");
    this.#options.report({ kind: "found", name, addresses, changed });
    if (changed) {
      this.#addresses = this.#addresses.with([[name, addresses]]);
      this.renew();
    }
    return Math.min(longestMs, Math.max(shortestMs, ttlMs));
  }

  #leave(name: string): void {
    this.#followed.get(name)?.abort();
    this.#followed.delete(name);
    this.#addresses = this.#addresses.with([[name, undefined]]);
  }
}

function namesOf(service: Service | undefined): readonly string[] {
  const { type, externalName } = service?.spec ?? {};
  return type === "ExternalName" && isName(externalName) ? [externalName.toLowerCase()] : [];
}

const isName = (text: string | undefined): text is string => text !== undefined && text !== "" && isIP(text) === 0;
