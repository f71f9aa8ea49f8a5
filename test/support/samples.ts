/**
 * Texts for each annotation, setting and flag: those that its Kind accepts and those that it
 * refuses. They stand in `test/fixtures/samples.json` by the label of the Kind. Where declarations
 * with the same label differ, their place, or their place and name, stands there. Tests send them
 * through the readers, and nginx tests what comes of them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Kind } from "../../src/core/kinds/kind.ts";

export interface Samples {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

const file = join(import.meta.dirname, "../fixtures/samples.json");
const all = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Samples>>;

interface Declared {
  readonly key?: string;
  readonly name?: string;
  readonly kind: Pick<Kind<unknown>, "label">;
}

const samplesOf =
  (place: "annotation" | "setting" | "flag") =>
  ({ key, name, kind: { label } }: Declared): Samples => {
    const own = all[`${place} ${key ?? name}`] ?? all[`${place} ${label}`];
    const found = own ?? all[label] ?? numbers(label) ?? words(label);
    if (found === undefined) throw new Error(`test/fixtures/samples.json has no samples of ${label}`);
    return found;
  };

export const annotationSamples = samplesOf("annotation");
export const settingSamples = samplesOf("setting");
export const flagSamples = samplesOf("flag");

function numbers(label: string): Samples | undefined {
  const [, what, min, max] = /^(a whole number|whole seconds),? from (\d+)(?: to (\d+))?$/.exec(label) ?? [];
  if (what === undefined) return undefined;
  const ends = [min, max].flatMap((one) => one ?? []);
  const outside = [String(Number(min) - 1), ...(max === undefined ? [] : [String(Number(max) + 1)])];
  return { good: ends, bad: ["x", "1.5", '"7"', ...outside] };
}

function words(label: string): Samples | undefined {
  const [, list] = /^one of ([\w. ,-]+)$/.exec(label) ?? [];
  return list === undefined ? undefined : { good: list.split(", "), bad: ["nonsense; } {"] };
}
