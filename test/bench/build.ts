/**
 * Measures the CPU time of the controller's work between Snapshot and nginx: for a full build, and
 * for one change in a loaded cluster.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Figure, medianOf } from "./measured.ts";
import { certificatesAmong, changed, ingress, plainHosts, secret, secretsOf, slice } from "./support/hosts.ts";
import { imageOptions } from "./support/image-options.ts";
import { cpuOf, openPipeline } from "./support/pipeline.ts";
import { sizesOr } from "./support/sizes.ts";

const sizes = sizesOr([100, 1_000, 10_000, 100_000]);
const changes = 100;
/** The bounds hold for this size. */
const boundAt = 10_000;

export async function build(): Promise<Figure[]> {
  const secrets = await secretsOf(certificatesAmong(Math.max(...sizes)));
  const renewed = await Promise.all(Array.from({ length: changes }, (_, at) => secret(at % certificatesAmong(100))));
  const figures: Figure[] = [];
  for (const hosts of sizes) figures.push(...(await at(hosts, secrets.slice(0, certificatesAmong(hosts)), renewed)));
  return figures;
}

async function at(
  hosts: number,
  secrets: readonly KubernetesObject[],
  renewed: readonly KubernetesObject[],
): Promise<Figure[]> {
  const bounded = (bound: number) => (hosts === boundAt ? { bound } : {});
  const full = await fullBuilds(hosts, secrets);
  const pipeline = await openPipeline();
  let snapshot = plainHosts(hosts, secrets);
  pipeline.turn(snapshot);
  const each = (change: (at: number) => object): number[] =>
    Array.from({ length: changes }, (_, at) => {
      const object = change(at);
      return cpuOf(() => {
        snapshot = changed(snapshot, object);
        pipeline.turn(snapshot);
      });
    });
  const changedPath = (at: number, path: string) =>
    ingress(at, { path, ...(at < secrets.length ? { secret: `tls-${at}` } : {}) });
  const route = each((at) => changedPath((at * 7) % hosts, `/changed-${at}`));
  const born = each((at) => ingress(hosts + at));
  const endpoints = each((at) => slice((at * 7) % hosts, ["10.99.0.1"]));
  const certificate = each((at) => renewed[at]!);
  const figure = (what: string, values: readonly number[], more: Partial<Figure> = {}): Figure => ({
    what,
    hosts,
    unit: "ms",
    values,
    ...more,
  });
  return [
    figure("full build at the start, a fifth of the hosts (at most 2,000) with certificates", full, bounded(1_500)),
    figure("changed Ingress", route, bounded(20)),
    figure("changed Ingress beside a full build", [medianOf(route) / medianOf(full)], {
      unit: "times",
      ...bounded(0.02),
    }),
    figure("new Ingress", born),
    figure("changed endpoints", endpoints, bounded(2)),
    figure("renewed certificate", certificate, bounded(2)),
  ];
}

/** Several runs, except for the largest cluster. */
async function fullBuilds(hosts: number, secrets: readonly KubernetesObject[]): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const file = join(folder, "secrets.json");
  writeFileSync(file, JSON.stringify(secrets));
  const script = join(import.meta.dirname, "support/full-build.ts");
  const tookMs: number[] = [];
  for (let tries = 0; tries < (hosts > boundAt ? 1 : 5); tries++) {
    const { stdout } = await execa(process.execPath, [...imageOptions(), script, `${hosts}`, file]);
    tookMs.push(Number(stdout));
  }
  rmSync(folder, { recursive: true });
  return tookMs;
}
