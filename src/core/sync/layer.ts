import type { Snapshot } from "../model/snapshot.ts";
import type { Source } from "./ports.ts";

/**
 * A Source over another one: its Snapshot has more than that of the other. The same Snapshot is
 * returned until one of both parts has changed, because a turn compares Snapshots.
 */
export class Layer implements Source {
  synced?: Promise<void>;
  readonly #below: Source;
  readonly #over: (below: Snapshot) => Snapshot;
  readonly #listeners = new Set<() => void>();
  #seen: Snapshot | undefined;
  #snapshot: Snapshot | undefined;

  /** `changed` is called when the Source below has changed, before the listeners are. */
  constructor(below: Source, over: (below: Snapshot) => Snapshot, changed: () => void = () => {}) {
    this.#below = below;
    this.#over = over;
    if (below.synced !== undefined) this.synced = below.synced;
    below.onChange(() => {
      changed();
      this.#announce();
    });
  }

  snapshot(): Snapshot {
    const below = this.#below.snapshot();
    if (this.#snapshot === undefined || below !== this.#seen) this.#snapshot = this.#over(below);
    this.#seen = below;
    return this.#snapshot;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports that what `over` adds has changed. */
  protected renew(): void {
    this.#snapshot = undefined;
    this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
