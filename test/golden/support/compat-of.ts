/** Runs `sluice compat` on a folder with the given files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { compat } from "../../../src/cli/compat.ts";
import { ran } from "./ran.ts";

/** Line breaks of the report become blanks. */
export async function compatOf(files: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { code, text } = await ran(compat, folder, "--all", ...argv);
  return { code, text: text.replace(/\s+/g, " ") };
}
