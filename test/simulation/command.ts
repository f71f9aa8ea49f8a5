/**
 * `npm run simulate -- --seed N` replays one history and prints it, shortened to what matters if a
 * rule is broken. `--seeds A..B` runs many, and prints how often each fault and rule occurred.
 */
import { parseArgs } from "node:util";
import { historyOf } from "./history.ts";
import { given, simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, seeds: { type: "string" }, events: { type: "boolean" } },
});
const [first = "1", last = first] = (values.seed ?? values.seeds ?? "1..100").split("..");
const made = await given();
const counts = new Map<string, number>();
let broken = 0;
const begun = performance.now();
for (let seed = Number(first); seed <= Number(last); seed++) {
  const history = historyOf(seed);
  const since = performance.now();
  const outcome = await simulate(history, made);
  for (const [name, count] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + count);
  if (values.seed !== undefined || values.events) console.log(outcome.events.join("\n"));
  if (performance.now() - since > 3_000) console.log(`seed ${seed} took ${Math.round(performance.now() - since)} ms`);
  if (outcome.broken === undefined) continue;
  broken++;
  console.log(`seed ${seed}: ${outcome.broken.rule}\n  ${outcome.broken.words}`);
}
const seconds = Math.round((performance.now() - begun) / 100) / 10;
for (const [name, count] of [...counts].sort()) console.log(`${String(count).padStart(9)} ${name}`);
console.log(`${Number(last) - Number(first) + 1} seeds in ${seconds} s, ${broken} broken`);
process.exit(broken > 0 ? 1 : 0);
