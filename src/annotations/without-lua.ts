/** Describes what an annotation loses in an nginx without Lua. */
import type { LostWithoutLua } from "./declare.ts";

/** The annotation has no effect at all. */
export function lost(why: string): LostWithoutLua {
  return { useless: true, why };
}

/** The annotation has another effect than with Lua. */
export function otherwise(why: string): LostWithoutLua {
  return { useless: false, why };
}
