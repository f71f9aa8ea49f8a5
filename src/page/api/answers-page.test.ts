import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const typesIn = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8").trimEnd();

test("docs/reference/answers.md has the current types", async () => {
  const parts = (["ask", "status"] as const).map((name) => {
    const title = { ask: "sluice why -o json", status: "sluice status -o json" }[name];
    return `## ${title}\n\n\`\`\`ts\n${typesIn(`${name}.ts`)}\n\`\`\`\n`;
  });
  const intro =
    "The answers of a running controller as JSON, as TypeScript declares them. Each has a `version`,\n" +
    "which changes when a field goes or changes its meaning; new fields may come without that.\n" +
    "[operate.md](../operate.md) shows how to ask.\n";
  const page = `# Answers as JSON\n\n${intro}\n${parts.join("\n")}`;
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL("../../../docs/reference/answers.md", import.meta.url)));
});
