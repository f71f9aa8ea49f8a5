/** The losses of annotations in an nginx without Lua. */
import type { LostWithoutLua } from "./declare.ts";

/** Nothing is left of what the annotation asks for. */
export function lost(why: string): LostWithoutLua {
  return { useless: true, why };
}

/** The annotation does something else than with Lua. */
export function otherwise(why: string): LostWithoutLua {
  return { useless: false, why };
}
