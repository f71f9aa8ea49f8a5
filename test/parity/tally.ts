/** Counts cases by feature and prints the table that a run ends with. */
/**
 * `open` means that the feature is not built or this nginx lacks the module; the last value means
 * that nginx without Lua cannot serve the case.
 */
export type Outcome = "passed" | "failed" | "open" | "not in stock nginx";
type Counts = Record<Outcome, number>;

const outcomes: readonly Outcome[] = ["passed", "failed", "open", "not in stock nginx"];
const none: Counts = { passed: 0, failed: 0, open: 0, "not in stock nginx": 0 };

export class Tally {
  readonly #counts = new Map<string, Counts>();

  count(feature: string, outcome: Outcome): void {
    const counts = this.#counts.get(feature) ?? { ...none };
    counts[outcome] += 1;
    this.#counts.set(feature, counts);
  }

  /** Counts a case as failed when the work throws, and throws the error again. */
  async during(feature: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.count(feature, "failed");
      throw error;
    }
    this.count(feature, "passed");
  }

  /** Returns the table: the features in alphabetical order, then their sum. */
  table(): string {
    const rows = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    const sum = (outcome: Outcome): number => rows.reduce((total, [, counts]) => total + counts[outcome], 0);
    const all = Object.fromEntries(outcomes.map((outcome) => [outcome, sum(outcome)])) as Counts;
    const width = Math.max(...[...rows.map(([name]) => name.length), "feature".length]);
    const line = (name: string, cells: readonly (string | number)[]): string =>
      `${name.padEnd(width)} ${cells.map((cell, at) => String(cell).padStart(outcomes[at]!.length + 2)).join("")}`;
    return [
      line("feature", outcomes),
      ...[...rows, ["all", all] as const].map(([name, counts]) =>
        line(
          name,
          outcomes.map((outcome) => counts[outcome]),
        ),
      ),
    ].join("\n");
  }
}
