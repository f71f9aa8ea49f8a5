/**
 * A Translator that drops its cache when a turn throws. The cache may have only a part of that
 * turn, so that other changes would be lost. Without the cache the result is the same.
 */
import { Translator } from "./translator.ts";

export class SteadyTranslator implements Pick<Translator, "turn"> {
  readonly #arguments: ConstructorParameters<typeof Translator>;
  #translator: Translator | undefined;

  constructor(...args: ConstructorParameters<typeof Translator>) {
    this.#arguments = args;
  }

  turn(now: Parameters<Translator["turn"]>[0]): ReturnType<Translator["turn"]> {
    const translator = this.#translator ?? new Translator(...this.#arguments);
    this.#translator = undefined;
    const translation = translator.turn(now);
    this.#translator = translator;
    return translation;
  }
}
