/** All that an answer is made of. */
import type { AskedRequest } from "../../decide/request.ts";
import type { LiveRouter } from "./live-router.ts";
import type { AskedWorld } from "./world.ts";

export interface Explaining {
  readonly world: AskedWorld;
  readonly asked: AskedRequest;
  /** The answer of the running nginx, where it was asked. */
  readonly live?: LiveRouter;
  /** Why nginx was not asked, or did not say. */
  readonly note?: string;
  readonly now: Date;
}
