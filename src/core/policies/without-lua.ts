/** Describes what an annotation loses in an nginx without Lua. */
import type { LostWithoutLua } from "./declare.ts";

/** Describes an annotation that has no effect at all. */
export function lost(why: string): LostWithoutLua {
  return { useless: true, why };
}

/** Describes an annotation that has another effect than with Lua. */
export function otherwise(why: string): LostWithoutLua {
  return { useless: false, why };
}
