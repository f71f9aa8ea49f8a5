/**
 * Tries a refused port of a TCP or UDP service again when the program that had it is gone. A port
 * that was never seen in use is tried once more only, because it has another fault.
 */
import { inBackground } from "../../base/callbacks.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { every } from "../../base/timing/every.ts";
import type { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { Nginx } from "./ports.ts";

/** The interval at which refused ports are looked at; without such ports nothing is read. */
const lookMs = 10_000;

export interface PortRetriesParts {
  readonly nginx: Pick<Nginx, "portsInUse">;
  readonly clock: Clock;
}

type PortsOfKeeper = Pick<QuarantineKeeper, "refusedPorts" | "allowPorts">;

export class PortRetries {
  readonly #parts: PortRetriesParts;
  readonly #keeper: PortsOfKeeper;
  readonly #wakeUp: () => void;
  /** Whether each refused port was in use at the last look. */
  #seen: ReadonlyMap<string, boolean> = new Map();

  constructor(parts: PortRetriesParts, keeper: PortsOfKeeper, wakeUp: () => void) {
    this.#parts = parts;
    this.#keeper = keeper;
    this.#wakeUp = wakeUp;
  }

  /** Looks from time to time. Returns a function that ends this. */
  start(): () => void {
    return every(this.#parts.clock, lookMs, () => inBackground("the look at ports", this.look()));
  }

  async look(): Promise<void> {
    const { portsInUse } = this.#parts.nginx;
    if (portsInUse === undefined || this.#keeper.refusedPorts.length === 0) return;
    const used = await portsInUse();
    const refused = this.#keeper.refusedPorts;
    const free = refused.filter((port) => !used.has(port) && this.#seen.get(port) !== false);
    this.#seen = new Map(refused.map((port) => [port, used.has(port)]));
    if (free.length === 0) return;
    this.#keeper.allowPorts(free);
    this.#wakeUp();
  }
}
