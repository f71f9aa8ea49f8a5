/** `sluice check` and `sluice compat` on one YAML file with 1,000 Ingresses, started as a user starts them. The goal is a second. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import type { Measured } from "./measured.ts";
import { objectsOf } from "./support/population.ts";

const program = join(import.meta.dirname, "../../src/main.ts");
const tries = 5;
const goalMs = 1_000;

export const checkTool = () => measured("check");
export const compatTool = () => measured("compat");

async function measured(command: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const ingresses = [...objectsOf(1_000)].map(([, object]) => object).filter(({ kind }) => kind === "Ingress");
  const file = join(folder, "all.yaml");
  writeFileSync(file, ingresses.map((one) => stringify(one)).join("---\n"));
  const tookMs: number[] = [];
  // The first try fills the cache of what was compiled, as a user's first call does.
  for (let at = 0; at <= tries; at += 1) {
    const since = performance.now();
    await execa(process.execPath, [program, command, file], { env: { HOME: folder } });
    if (at > 0) tookMs.push(performance.now() - since);
  }
  rmSync(folder, { recursive: true });
  return { name: `sluice ${command} on 1,000 Ingresses`, tookMs, goalMs };
}
