/** `sluice check` and `sluice compat` on one YAML file with 1,000 Ingresses, started as a user starts them. The goal is a second. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import type { Figure } from "./measured.ts";
import { objectsOf } from "./support/population.ts";

const program = join(import.meta.dirname, "../../src/main.ts");
const tries = 5;
const ingressCount = 1_000;
const boundMs = 1_000;

export async function tools(): Promise<Figure[]> {
  return [await measured("check"), await measured("compat")];
}

async function measured(command: string): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const ingresses = [...objectsOf(ingressCount)].map(([, object]) => object).filter(({ kind }) => kind === "Ingress");
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
  return { what: `sluice ${command}`, hosts: ingressCount, unit: "ms", values: tookMs, bound: boundMs };
}
