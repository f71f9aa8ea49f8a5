/**
 * Makes docs/performance.md from the results of the benchmarks and other tables; only `notes.md` is
 * written by hand.
 */
import { withOutline } from "../../src/tools/reference/markdown.ts";
import { type Figure, isMet, measureOf, medianOf, type Results, shown } from "./measured.ts";

/**
 * `results` by the names of the benchmarks; `reloadCosts` is the table of
 * test/golden/reload-costs.test.ts.
 */
export function pageOf(results: Readonly<Record<string, Results>>, notes: string, reloadCosts = ""): string {
  const sections = Object.entries(results).map(([name, { taken, conditions, figures }]) =>
    [
      `## ${name}`,
      `\`npm run bench ${name}\`, ${taken}, ${conditions}.`,
      tableOf(figures),
      ...figures.filter(({ note }) => note !== undefined).map(noteOf),
    ].join("\n\n"),
  );
  const costs = reloadCosts === "" ? [] : ["## Which annotations cost a reload", reloadCosts.trim()];
  return withOutline(`${[notes.trim(), ...sections, ...costs].join("\n\n")}\n`);
}

/** One row for each figure; several columns if there are several numbers of hosts. */
function tableOf(figures: readonly Figure[]): string {
  const sizes = [...new Set(figures.map(({ hosts }) => hosts))].toSorted((a, b) => (a ?? 0) - (b ?? 0));
  const rows = [...new Set(figures.map(({ what }) => what))];
  const several = sizes.length > 1;
  const head = [
    "",
    ...sizes.map((hosts) => (hosts === undefined ? "measured" : `${hosts.toLocaleString("en")} hosts`)),
    ...(several ? ["for 10 times the hosts"] : []),
  ];
  const lines = rows.map((what) => {
    const of = figures.filter((figure) => figure.what === what);
    const cells = sizes.map((hosts) => cellOf(of.find((figure) => figure.hosts === hosts)));
    const growth = several ? [growthOf(of)] : [];
    return [what, ...cells, ...growth, boundOf(of)];
  });
  const table = [[...head, "bound"], ["---", ...head.slice(1).map(() => "---:"), "---"], ...lines];
  return table.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Returns the median, the least and the largest value, in bold if a bound is missed. */
function cellOf(figure: Figure | undefined): string {
  if (figure === undefined) return "";
  const { values, unit, tail } = figure;
  const median = shown(medianOf(values), unit) + (tail ? `, 95 % ${shown(measureOf(figure), unit)}` : "");
  const spread = values.length === 1 ? "" : ` (${shown(Math.min(...values), "")} to ${shown(Math.max(...values), "")})`;
  return isMet(figure) === false ? `**${median}**${spread}` : `${median}${spread}`;
}

/** Returns one bound for all, or each bound with its number of hosts. */
function boundOf(figures: readonly Figure[]): string {
  const byBound = Map.groupBy(figures, ({ bound }) => bound);
  const each = [...byBound].flatMap(([bound, of]) => {
    if (bound === undefined) return [];
    const [least, most] = [of[0]!, of.at(-1)!].map(({ hosts }) => hosts?.toLocaleString("en"));
    const among = byBound.size === 1 ? "" : ` with ${least === most ? most : `${least} to ${most}`} hosts`;
    return [shown(bound, of[0]!.unit) + among];
  });
  return each.length === 0 ? "" : `at most ${each.join(", ")}`;
}

/**
 * Returns the factor by which a cost grows when the number of hosts grows tenfold, between the
 * fewest and the most hosts.
 */
function growthOf(figures: readonly Figure[]): string {
  const sized = figures.filter(
    (figure) => figure.hosts !== undefined && ["ms", "s", "us", "MB", "KB"].includes(figure.unit),
  );
  const [first, last] = [sized[0], sized.at(-1)];
  if (first === undefined || last === undefined || first === last) return "";
  if (medianOf(first.values) <= 0 || medianOf(last.values) <= 0) return "";
  const decades = Math.log10(last.hosts! / first.hosts!);
  return shown((medianOf(last.values) / medianOf(first.values)) ** (1 / decades), "times");
}

function noteOf({ what, hosts, note }: Figure): string {
  const among = hosts === undefined ? "" : `, ${hosts.toLocaleString("en")} hosts`;
  return `${what}${among}: ${note}.`;
}
