/**
 * Logs failures between the informers and the API server in few lines: one for each kind that is
 * refused, one for each watch that breaks in a new way, and one for a server that is away, however
 * many watches notice it and however often they try. A server counts as reached again only when
 * all watches have been open for a moment, so the lines do not alternate.
 */

import type { Clock } from "../../base/timing/clock.ts";
import type { Watch } from "../../edges/cluster/watches.ts";
import type { Log } from "../../edges/log/log.ts";
import { resourceText } from "../../edges/resources.ts";
import type { ReflectorEvent } from "../../kube/index.ts";

/** The time for which all watches must be open before the server counts as reached again. */
const steadyMs = 3_000;

/** The time after which a watch that breaks in the same way is logged again. */
const againMs = 300_000;

/** The most ways to break that are remembered. */
const mostBroken = 100;

/** The most causes of one outage that are logged. */
const mostCauses = 10;

export class ClusterLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #listed = new Set<Watch>();
  readonly #refused = new Set<Watch>();
  readonly #away = new Set<Watch>();
  /** The causes of the present outage that were logged; empty while the server is reached. */
  readonly #causes = new Set<string>();
  /** The time at which each way to break was logged. */
  readonly #broken = new Map<string, number>();
  #awaySince = 0;
  #cancelReturn: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  report(watch: Watch, event: ReflectorEvent): void {
    const what = resourceText(watch.of, watch.namespace);
    switch (event.kind) {
      case "listed":
        this.#log.debug({ what, objects: event.objects, took: `${Math.round(event.tookMs)}ms` }, "listed");
        this.#listed.add(watch);
        if (this.#refused.delete(watch)) this.#log.info({ what }, "the API server allows it now");
        this.#onReached(watch);
        break;
      case "watching":
      case "ended":
        this.#onReached(watch);
        break;
      case "version-lost":
        this.#log.debug({ what, why: event.why }, "everything is listed again");
        break;
      case "failed":
        if (event.denied) this.#onRefused(watch, what, event.failure.message);
        // An optional kind cannot be listed for a moment after it was installed. Other watches
        // report it when the server is away.
        else if (watch.optional && !this.#listed.has(watch))
          this.#log.debug({ what, why: event.failure.message }, "a kind cannot be listed yet");
        else if (event.broken) this.#onBroken(what, event.failure.message, event.retryMs);
        else this.#onAway(watch, event.failure.message);
    }
  }

  #onBroken(what: string, why: string, retryMs: number): void {
    const now = this.#clock.now();
    const known = this.#broken.get(`${what} ${why}`);
    if (known !== undefined && now - known < againMs) return;
    for (const [text, at] of this.#broken) if (now - at >= againMs) this.#broken.delete(text);
    if (this.#broken.size >= mostBroken) return;
    this.#broken.set(`${what} ${why}`, now);
    const retry = `${Math.round(retryMs / 100) / 10}s`;
    this.#log.warn({ what, why, retry }, "the API server sent something unusable; the last state is still served");
  }

  /** A server that refuses was reached. */
  #onRefused(watch: Watch, what: string, why: string): void {
    this.#onReached(watch);
    if (this.#refused.has(watch)) return;
    this.#refused.add(watch);
    const consequence = watch.without ?? "nothing new can be served until it is allowed";
    const line = { what, why, consequence };
    // A cluster may have kinds of the Gateway API that its users never use. One line covers all of
    // them.
    if (watch.optional) this.#log.debug(line, "the API server refuses to list");
    else this.#log.warn(line, "the API server refuses to list");
  }

  #onAway(watch: Watch, why: string): void {
    this.#cancelReturn?.();
    this.#cancelReturn = undefined;
    this.#away.add(watch);
    if (this.#causes.has(why) || this.#causes.size >= mostCauses) return;
    if (this.#causes.size === 0) {
      this.#awaySince = this.#clock.now();
      this.#log.warn({ why }, "the API server is not reached; the last state is still served");
    } else this.#log.warn({ why }, "the API server is still not reached");
    this.#causes.add(why);
  }

  #onReached(watch: Watch): void {
    if (!this.#away.delete(watch) || this.#away.size > 0) return;
    const away = `${Math.round((this.#clock.now() - this.#awaySince) / 1000)}s`;
    this.#cancelReturn = this.#clock.schedule(steadyMs, () => {
      this.#cancelReturn = undefined;
      this.#causes.clear();
      this.#log.info({ away }, "the API server is reached again");
    });
  }
}
