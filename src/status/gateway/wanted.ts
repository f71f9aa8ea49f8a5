/**
 * The status that each object should have now. A status that promises something waits until nginx
 * keeps the promise; one that does not goes out right after its turn, whatever nginx does
 * meanwhile.
 */
import type { DesiredCondition, DesiredStatus } from "../../model/gateway/status.ts";
import { Table } from "../../model/table.ts";

export class WantedStatuses {
  readonly #changed: (key: string) => void;
  /** The statuses of the last turn. */
  #made: Table<DesiredStatus> = Table.empty();
  /** The statuses of the last turn whose Configuration nginx serves; undefined before the first. */
  #live: Table<DesiredStatus> | undefined;
  readonly #wanted = new Map<string, DesiredStatus>();
  /** The last statuses of ListenerSets that have lost their Gateways. */
  readonly #former = new Map<string, DesiredStatus>();

  /** `changed` is called for each object that may need another status. */
  constructor(changed: (key: string) => void) {
    this.#changed = changed;
  }

  /**
   * Whether nginx has served once what a turn made: before that, nothing can be said to have gone.
   */
  get areKnown(): boolean {
    return this.#live !== undefined;
  }

  /** The status that the object should have; undefined where there is none yet. */
  get(key: string): DesiredStatus | undefined {
    return this.#wanted.get(key);
  }

  /** The last status of a ListenerSet that has no Gateway of ours any more. */
  former(key: string): DesiredStatus | undefined {
    return this.#former.get(key);
  }

  /** The statuses of the last turn, whether or not it is live. */
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

  /** Without news from nginx, a status that waits for it leaves the former one as it is. */
  #decide(key: string, isLive: boolean): void {
    const made = this.#made.get(key);
    const former = this.#wanted.get(key);
    const promised = isLive ? (this.#live?.get(key) ?? former) : former;
    const next = made === undefined || !waitsForNginx(made) ? made : promised;
    if (next === former) return;
    if (next === undefined) this.#wanted.delete(key);
    else this.#wanted.set(key, next);
    if (next === undefined && former?.kind === "ListenerSet") this.#former.set(key, former);
    else this.#former.delete(key);
    this.#changed(key);
  }
}

/** Whether it says of something that requests are answered. */
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
