/**
 * Names of locations that only nginx itself may enter. nginx also enters the location that an
 * answer names in X-Accel-Redirect, and every tenant can compute the hash of a known text. So each
 * name contains a key of the run folder. Equal keys give equal names, so an adopted nginx still has
 * the names that its records use.
 */
import { shortHash } from "../../tokens/short-hash.ts";
import { Token } from "../../tokens/token.ts";

export class InternalNames {
  readonly #key: string;

  /**
   * `key` is empty if no nginx serves, as in golden files and `sluice render`; names are
   * readable then.
   */
  constructor(key: string) {
    this.#key = key;
  }

  /** Returns the identifier of the location with this text. */
  of(text: string): string {
    return shortHash(`${this.#key}${text}`);
  }

  /** Returns the ending of the names of locations that each server has. */
  get ending(): string {
    return this.#key === "" ? "" : `_${this.of("ending")}`;
  }

  /** Returns the name of one of these locations. The router finds it by the ending. */
  fixed(name: string): Token {
    return Token.name(`@sluice_${name}${this.ending}`);
  }
}
