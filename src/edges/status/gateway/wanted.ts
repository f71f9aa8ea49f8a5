/**
 * The status that each object should have now. A status that says that requests are answered waits
 * until nginx serves the turn. Any other status is written right after its turn.
 */
import type { DesiredCondition, DesiredStatus } from "../../../core/model/gateway/status.ts";
import { Table } from "../../../core/model/table.ts";

type FormerStatus = Extract<DesiredStatus, { readonly kind: "Gateway" | "ListenerSet" }>;

export class WantedStatuses {
  readonly #changed: (key: string) => void;
  /** The statuses of the last turn. */
  #made: Table<DesiredStatus> = Table.empty();
  /** The statuses of the last turn whose Configuration nginx serves; undefined before the first. */
  #live: Table<DesiredStatus> | undefined;
  readonly #wanted = new Map<string, DesiredStatus>();
  /** The last statuses of Gateways without their class, and of sets without their Gateway. */
  readonly #former = new Map<string, FormerStatus>();

  /** `changed` is called for each object that may need another status. */
  constructor(changed: (key: string) => void) {
    this.#changed = changed;
  }

  /** Whether nginx has served a turn. Before that, no object counts as gone. */
  get areKnown(): boolean {
    return this.#live !== undefined;
  }

  /** Returns the status that the object should have; undefined if there is none yet. */
  get(key: string): DesiredStatus | undefined {
    return this.#wanted.get(key);
  }

  /** Returns the last status of a Gateway or ListenerSet that is no longer this controller's. */
  former(key: string): FormerStatus | undefined {
    return this.#former.get(key);
  }

  /** Returns the object's status in the last turn, whether or not the turn is live. */
  made(key: string): DesiredStatus | undefined {
    return this.#made.get(key);
  }

  /** The statuses of the last turn that is live; none before the first. */
  get live(): Table<DesiredStatus> {
    return this.#live ?? Table.empty();
  }

  keys(): Iterable<string> {
    return this.#wanted.keys();
  }

  take(statuses: Table<DesiredStatus>, progress: "made" | "live"): void {
    const before = (progress === "live" ? this.#live : this.#made) ?? Table.empty<DesiredStatus>();
    if (progress === "live") this.#live = statuses;
    else this.#made = statuses;
    for (const { key } of statuses.changesSince(before)) this.#decide(key, progress === "live");
  }

  /**
   * Decides which status counts. A status that waits for nginx leaves the former one in place until
   * the turn is live.
   */
  #decide(key: string, isLive: boolean): void {
    const made = this.#made.get(key);
    const former = this.#wanted.get(key);
    const promised = isLive ? (this.#live?.get(key) ?? former) : former;
    const next = made === undefined || !waitsForNginx(made) ? made : promised;
    if (next === former) return;
    if (next === undefined) this.#wanted.delete(key);
    else this.#wanted.set(key, next);
    const hasListeners = former?.kind === "Gateway" || former?.kind === "ListenerSet";
    if (next === undefined && hasListeners) this.#former.set(key, former);
    else this.#former.delete(key);
    this.#changed(key);
  }
}

/** Whether the status says that requests are answered. */
export function waitsForNginx(status: DesiredStatus): boolean {
  switch (status.kind) {
    case "GatewayClass":
      return false;
    case "Gateway":
    case "ListenerSet":
      return [status, ...status.listeners].some(({ conditions }) => isTrue(conditions, "Programmed"));
    case "route":
      return status.parents.some(({ conditions }) => isTrue(conditions, "Accepted"));
    case "policy":
      return status.ancestors.some(({ conditions }) => isTrue(conditions, "Accepted"));
  }
}

function isTrue(conditions: readonly DesiredCondition[], type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === "True");
}
