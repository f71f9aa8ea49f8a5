/** All values from which an answer is made. */
import type { AskedRequest } from "../../matcher/request.ts";
import type { LiveRouter } from "./live-router.ts";
import type { AskedWorld } from "./world.ts";

export interface Explaining {
  readonly world: AskedWorld;
  readonly asked: AskedRequest;
  /** The answer of the running nginx, if it got the query. */
  readonly live?: LiveRouter;
  /** The reason why nginx got no query, or gave no answer. */
  readonly note?: string;
  readonly now: Date;
}
