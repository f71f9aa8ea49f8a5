import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ApiAnswers } from "../answers.ts";
import { listParameters } from "../params.ts";

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
  await expect(page).toMatchFileSnapshot(
    fileURLToPath(new URL("../../../../docs/reference/answers.md", import.meta.url)),
  );
});

test("docs/reference/page-api.md has the current types of the page's API", async () => {
  const files = ["list", "routes", "history", "problems", "certificates", "gateways", "shadow", "views", "events"];
  const parts = files.map((name) => `## ${name}\n\n\`\`\`ts\n${typesIn(`${name}.ts`)}\n\`\`\`\n`);
  const intro =
    "The answers below `/ui/api/v1/` as TypeScript declares them, with each field. The paths and their\n" +
    "parameters are in [page.md](../page.md#the-json-api). The answers of `status` and `ask` are in\n" +
    "[answers.md](answers.md).\n";
  const outline = files.map((name) => `- [${name}](#${name})\n`).join("");
  const page = `# The JSON API of the page\n\n${intro}\n${outline}\n${parts.join("\n")}`;
  const place = new URL("../../../../docs/reference/page-api.md", import.meta.url);
  await expect(page).toMatchFileSnapshot(fileURLToPath(place));
});

test("docs/page.md has each path of the API with its parameters, and no others", () => {
  const text = readFileSync(new URL("../../../../docs/page.md", import.meta.url), "utf8");
  const rows = text.matchAll(/^\| `(\w+)` \|(.*?)\| .* \|$/gm);
  const documented = new Map([...rows].map(([, name = "", cell = ""]) => [name, cell]));
  // The test sends no request, so that no source and no lists are needed.
  const { parameters } = new ApiAnswers({} as never, {} as never, () => undefined);
  expect([...documented.keys()].sort()).toEqual([...parameters.keys(), "events"].sort());
  for (const [name, known] of parameters) {
    const isList = known.join() === Object.keys(listParameters).join();
    const named = [...documented.get(name)!.matchAll(/`(\w+)`/g)].map(([, word]) => word);
    expect([name, named]).toEqual([name, isList ? [] : known]);
    expect(documented.get(name)!.includes("those of a list")).toBe(isList);
  }
  const [list = ""] = /^A list takes.*?\n\n/ms.exec(text) ?? [];
  for (const name of Object.keys(listParameters)) expect(list).toContain(`\`${name}\``);
});
