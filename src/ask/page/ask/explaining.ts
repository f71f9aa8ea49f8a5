/** All values from which an answer is made. */
import type { AskedRequest } from "../../matcher/request.ts";
import type { AskedWorld } from "./world.ts";

export interface Explaining {
  readonly world: AskedWorld;
  readonly asked: AskedRequest;
  readonly now: Date;
}
