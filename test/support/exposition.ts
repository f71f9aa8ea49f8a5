/** Reads a scrape as Prometheus does: families by name, and series with labels and a value. */
export interface Sample {
  /** The name, with `_bucket`, `_sum` or `_count` for a series of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Exposition {
  /** Keyed by name, without the endings of histograms. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
  readonly samplesByName: ReadonlyMap<string, readonly Sample[]>;
}

/** Throws at a line that is neither a comment nor a sample. */
export function readExposition(text: string): Exposition {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const [, named, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (named !== undefined && types.has(named)) throw new Error(`two types of ${named}`);
    if (named !== undefined && type !== undefined) types.set(named, type);
    if (line === "" || line.startsWith("#")) continue;
    const [, name = "", labels = "", value = ""] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === "") throw new Error(`no sample: ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    samples.push({ name, labels: Object.fromEntries(pairs), value: value === "+Inf" ? Infinity : Number(value) });
  }
  return { types, samples, samplesByName: Map.groupBy(samples, ({ name }) => name) };
}

/** Returns the sum of the values with this name and these labels. */
export function sumOf(
  { samplesByName }: Exposition,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const wanted = Object.entries(labels);
  const found = (samplesByName.get(name) ?? []).filter((one) =>
    wanted.every(([key, value]) => one.labels[key] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}
