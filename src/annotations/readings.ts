/**
 * Readings by the texts they were made of, each for as long as somebody has its values. A
 * controller lives for months and a webhook reads whatever it is sent, so what was read once must
 * not stay for that reason alone.
 */
import type { Reading } from "./reading.ts";
import type { FeatureValues } from "./registry.ts";

export class Readings {
  /** A Claim keeps the values and not the reading, which lives as long as they do. */
  readonly #ofValues = new WeakMap<FeatureValues, Reading>();
  readonly #byText = new Map<string, WeakRef<FeatureValues>>();
  readonly #gone = new FinalizationRegistry<string>((text) => {
    // A reading of the same text may have taken its place.
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
