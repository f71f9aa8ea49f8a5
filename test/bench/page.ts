/** docs/performance.md, from the results of the benchmarks: nothing in it is written by hand but `notes.md`. */
import { type Figure, isMet, measureOf, medianOf, type Results, shown } from "./measured.ts";

/** `results` by the names of the benchmarks. */
export function pageOf(results: Readonly<Record<string, Results>>, notes: string): string {
  const sections = Object.entries(results).map(([name, { taken, conditions, figures }]) =>
    [`## ${name}`, `\`npm run bench ${name}\`, ${taken}, ${conditions}.`, tableOf(figures)].join("\n\n"),
  );
  return `${[notes.trim(), ...sections].join("\n\n")}\n`;
}

/** A row for what was measured; columns for numbers of hosts, where there are several. */
function tableOf(figures: readonly Figure[]): string {
  const sizes = [...new Set(figures.map(({ hosts }) => hosts))];
  const rows = [...new Set(figures.map(({ what }) => what))];
  const head = [
    "",
    ...sizes.map((hosts) => (hosts === undefined ? "measured" : `${hosts.toLocaleString("en")} hosts`)),
  ];
  const lines = rows.map((what) => {
    const of = figures.filter((figure) => figure.what === what);
    const bound = of.find((figure) => figure.bound !== undefined);
    const cells = sizes.map((hosts) => cellOf(of.find((figure) => figure.hosts === hosts)));
    return [what, ...cells, bound === undefined ? "" : `at most ${shown(bound.bound!, bound.unit)}`];
  });
  const table = [[...head, "bound"], ["---", ...sizes.map(() => "---:"), "---"], ...lines];
  return table.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The median, the least and the most; bold where a bound is missed. */
function cellOf(figure: Figure | undefined): string {
  if (figure === undefined) return "";
  const { values, unit, tail } = figure;
  const median = shown(medianOf(values), unit) + (tail ? `, 95 % ${shown(measureOf(figure), unit)}` : "");
  const spread = values.length === 1 ? "" : ` (${shown(Math.min(...values), "")} to ${shown(Math.max(...values), "")})`;
  return isMet(figure) === false ? `**${median}**${spread}` : `${median}${spread}`;
}
