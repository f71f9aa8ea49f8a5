/**
 * Keeps one frozen value for all equal ones. The same few ports and conditions occur in every
 * EndpointSlice, and parsing creates each of them again. The sharing is invisible, because the
 * values are frozen and compared by content.
 */
import { freeze } from "../../kube/index.ts";

/** The most values that are kept. Rare values are not worth keeping. */
const most = 1_000;

export class SharedParts {
  readonly #known = new Map<string, unknown>();

  /** Returns an equal known value, or this one after freezing it. `part` is JSON. */
  of<T>(part: T): T {
    const text = JSON.stringify(part);
    const known = this.#known.get(text);
    if (known !== undefined) return known as T;
    if (this.#known.size >= most) this.#known.clear();
    this.#known.set(text, freeze(part));
    return part;
  }
}
