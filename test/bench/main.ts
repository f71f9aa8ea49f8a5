/** `npm run bench [NAME ...]`: runs the benchmarks, one after another, and prints a line for each. Nothing else should run meanwhile. */
import { keystroke } from "./keystroke.ts";
import { lineOf, type Measured } from "./measured.ts";
import { counting, scrape } from "./scrape.ts";
import { checkTool, compatTool } from "./tools.ts";
import { webhooks } from "./webhook.ts";

const benchmarks: Readonly<Record<string, () => Promise<Measured>>> = {
  keystroke,
  ...webhooks,
  scrape,
  counting,
  check: checkTool,
  compat: compatTool,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}; there are ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : Object.keys(benchmarks)) console.log(lineOf(await benchmarks[name]!()));
