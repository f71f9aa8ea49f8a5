/**
 * One frozen value for all equal ones. The same few ports and conditions stand in every
 * EndpointSlice, and parsing makes each of them anew. The sharing is invisible: the values are
 * frozen and are compared by what they say.
 */
import { freeze } from "../kubernetes/index.ts";

/** A rare part is not worth finding again. */
const most = 1_000;

export class SharedParts {
  readonly #known = new Map<string, unknown>();

  /** An equal value that is known already, or this one, frozen. `part` is JSON. */
  of<T>(part: T): T {
    const text = JSON.stringify(part);
    const known = this.#known.get(text);
    if (known !== undefined) return known as T;
    if (this.#known.size >= most) this.#known.clear();
    this.#known.set(text, freeze(part));
    return part;
  }
}
