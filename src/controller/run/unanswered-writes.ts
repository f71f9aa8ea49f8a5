/**
 * Notices that a leader can renew its Lease and not do its work: its writes get no answer, while
 * the small ones to the Lease do. A webhook or a proxy in between can cause that, and another
 * replica may not be affected.
 */
import { ownReasons, type SentRequest } from "../../kube/index.ts";

/** The number of writes without an answer, and without an answered write between them. */
const tolerated = 2;

/** The Lease has limits of its own, and nothing depends on Events. */
const besides = /\/(leases|events)(\/|$)/;

export class UnansweredWrites {
  #inARow = 0;
  #onTooMany: ((why: string) => void) | undefined;

  /** Calls the function whenever `tolerated` writes in a row got no answer. */
  onTooMany(act: (why: string) => void): void {
    this.#onTooMany = act;
  }

  note({ verb, path, code, reason, tookMs }: SentRequest): void {
    if (verb === "get" || verb === "list" || verb === "watch" || besides.test(path)) return;
    if (code > 0) this.#inARow = 0;
    if (reason !== ownReasons.silent) return;
    this.#inARow += 1;
    if (this.#inARow < tolerated) return;
    this.#inARow = 0;
    this.#onTooMany?.(`${tolerated} writes in a row got no answer within ${Math.round(tookMs / 1000)} s each`);
  }
}
