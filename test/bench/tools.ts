/**
 * Measures the tools on one YAML file with 1,000 Ingresses, started as a user starts them: without
 * mistakes, or with an unknown annotation in one of a hundred Ingresses, whose line has to be
 * found. `sluice routes` reads them from a controller that serves them. The goal is a second for
 * each, and two for `sluice convert`, which also proves what it writes.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { stringify } from "yaml";
import { serving } from "../nginx/support/serve.ts";
import type { Figure } from "./measured.ts";
import { objectsOf } from "./support/population.ts";

const program = fileURLToPath(new URL("../../bin/sluice.mjs", import.meta.url));
const tries = 5;
const ingressCount = 1_000;
const boundMs = 1_000;
const typo = { "nginx.ingress.kubernetes.io/proxy-body-sise": "8m" };

export async function tools(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const [good, typos, changed] = ["good.yaml", "typos.yaml", "changed.yaml"].map((file) => join(folder, file));
  const ingresses = [...objectsOf(ingressCount)].map(([, object]) => object).filter(({ kind }) => kind === "Ingress");
  const write = (file: string, annotate: (at: number) => object) => {
    const objects = ingresses.map((one, at) => {
      const annotations = { ...one.metadata.annotations, ...annotate(at) };
      return stringify({ ...one, metadata: { ...one.metadata, annotations } });
    });
    writeFileSync(file, objects.join("---\n"));
  };
  write(good!, () => ({}));
  write(typos!, (at) => (at % 100 === 50 ? typo : {}));
  write(changed!, (at) => (at % 100 === 50 ? { "nginx.ingress.kubernetes.io/proxy-body-size": "9m" } : {}));
  const figures = [
    await measured("check", [good!], folder),
    await measured("check, with problems", [typos!], folder),
    await measured("compat", [good!], folder),
    await measured("compat, with problems", [typos!], folder),
    await measured("render", [good!], folder),
    await measured("diff", [good!, changed!], folder),
    await measured("convert", [good!], folder, 2 * boundMs),
  ];
  const files = Object.fromEntries(ingresses.map((one, at) => [`${at}.yaml`, stringify(one)]));
  const served = await serving({ files });
  figures.push(await measured("routes", ["--run-folder", served.runFolder], folder));
  await served.remove();
  rmSync(folder, { recursive: true });
  return figures;
}

async function measured(what: string, words: readonly string[], home: string, bound = boundMs): Promise<Figure> {
  const command = what.replace(/,.*/, "");
  const tookMs: number[] = [];
  // The first try fills the cache of what was compiled, as a user's first call does.
  for (let at = 0; at <= tries; at += 1) {
    const since = performance.now();
    const done = await execa(process.execPath, [program, command, ...words], { env: { HOME: home }, reject: false });
    if (done.stdout.length < 20) throw new Error(`sluice ${command} said nothing: ${done.stderr}`);
    if (at > 0) tookMs.push(performance.now() - since);
  }
  return { what: `sluice ${what}`, hosts: ingressCount, unit: "ms", values: tookMs, bound };
}
