import { isMapping } from "../core/model/mapping.ts";

/** Returns the value below these keys; undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, key) => (isMapping(inside) ? inside[key] : undefined), value);
}
