/**
 * The drawings in docs/pictures, each made from text: `npm test unit -- scripts/pictures --update`
 * writes them again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dashboard } from "./dashboard.ts";
import { terminal } from "./terminal.ts";
import { textAndData } from "./text-and-data.ts";

const docs = join(import.meta.dirname, "../../docs");
const read = (path: string): string => readFileSync(join(docs, path), "utf8");

/** Returns the golden file's answer to this question, as a user sees it after the command. */
function answerTo(request: string): string {
  const blocks = read("../test/golden/tools/why.txt").split("\n\n");
  const block = blocks.find((one) => one.startsWith(request));
  if (block === undefined) throw new Error(`test/golden/tools/why.txt has no answer to ${request}`);
  return block.trimEnd();
}

const pictures: Readonly<Record<string, () => string>> = {
  "dashboard.svg": () => dashboard(read("dashboards/sluice.json"), 39),
  "terminal.svg": () =>
    terminal(
      "sluice why explains a request",
      `$ npx @sluice-ingress/sluice why http://status.localhost/status/x examples/shop\n${answerTo("GET http://status.localhost/status/x\n")}`,
    ),
  "text-and-data.svg": textAndData,
};

test.each(Object.entries(pictures))("docs/pictures/%s is the drawing of its text", async (name, draw) => {
  await expect(draw()).toMatchFileSnapshot(join(docs, "pictures", name));
});

test("each picture is shown by a page, and the folder has no other files", () => {
  expect(readdirSync(join(docs, "pictures")).toSorted()).toEqual(Object.keys(pictures));
  const pages = ["../README.md", "architecture.md", "metrics.md"].map(read).join("");
  for (const name of Object.keys(pictures)) expect(pages).toContain(`pictures/${name})`);
});
