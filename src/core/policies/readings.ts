/**
 * A cache of readings by their texts. It holds a reading only as long as its values are in use: a
 * controller lives for months, and a webhook reads whatever clients send.
 */
import type { Reading } from "./reading.ts";
import type { FeatureValues } from "./registry.ts";

export class Readings {
  /**
   * A Claim refers to the values and not to the reading; the map keeps the reading as long as the
   * values live.
   */
  readonly #ofValues = new WeakMap<FeatureValues, Reading>();
  readonly #byText = new Map<string, WeakRef<FeatureValues>>();
  readonly #gone = new FinalizationRegistry<string>((text) => {
    // A newer reading of the same text may have replaced it.
    if (this.#byText.get(text)?.deref() === undefined) this.#byText.delete(text);
  });

  get(text: string): Reading | undefined {
    const values = this.#byText.get(text)?.deref();
    return values && this.#ofValues.get(values);
  }

  set(text: string, reading: Reading): void {
    this.#ofValues.set(reading.values, reading);
    this.#byText.set(text, new WeakRef(reading.values));
    this.#gone.register(reading.values, text);
  }
}
