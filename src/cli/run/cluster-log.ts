/**
 * Logs failures between the informers and the API server in few lines: one for each kind that is
 * refused, and one for a server that is away, however many watches notice it and however often they
 * try.
 */
import type { Watch } from "../../cluster/watches.ts";
import type { ReflectorEvent } from "../../kubernetes/index.ts";
import type { Log } from "../../log/log.ts";
import { resourceText } from "../../resources.ts";

export class ClusterLog {
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #refused = new Set<Watch>();
  readonly #away = new Set<Watch>();
  #awaySince = 0;

  /** `nowMs` never goes backwards. */
  constructor(log: Log, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  report(watch: Watch, event: ReflectorEvent): void {
    const what = resourceText(watch.of, watch.namespace);
    switch (event.kind) {
      case "listed":
        this.#log.debug({ what, objects: event.objects, took: `${Math.round(event.tookMs)}ms` }, "listed");
        if (this.#refused.delete(watch)) this.#log.info({ what }, "the API server allows it now");
        this.#onReached(watch);
        break;
      case "watching":
        this.#onReached(watch);
        break;
      case "version-lost":
        this.#log.debug({ what, why: event.why }, "everything is listed again");
        break;
      case "failed":
        if (event.denied) this.#onRefused(watch, what, event.failure.message);
        // An optional kind cannot be listed for a moment after it was installed. Other watches
        // report it when the server is away.
        else if (watch.optional) this.#log.debug({ what, why: event.failure.message }, "a kind cannot be listed yet");
        else this.#onAway(watch, event.failure.message);
    }
  }

  #onRefused(watch: Watch, what: string, why: string): void {
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
    if (this.#away.size === 0) {
      this.#awaySince = this.#nowMs();
      this.#log.warn({ why }, "the API server is not reached; the last state is still served");
    }
    this.#away.add(watch);
  }

  #onReached(watch: Watch): void {
    if (!this.#away.delete(watch) || this.#away.size > 0) return;
    const away = `${Math.round((this.#nowMs() - this.#awaySince) / 1000)}s`;
    this.#log.info({ away }, "the API server is reached again");
  }
}
