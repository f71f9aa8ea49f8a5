/** What the controller's work costs between Snapshot and nginx, in CPU: a full build, and one change in a cluster that is loaded. */
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { Figure } from "./measured.ts";
import { changed, ingress, plainHosts, secret, slice } from "./support/hosts.ts";
import { cpuOf, openPipeline } from "./support/pipeline.ts";
import { sizesOr } from "./support/sizes.ts";

const sizes = sizesOr([100, 1_000, 10_000]);
const changes = 100;
/** The bounds hold for this size. */
const boundAt = 10_000;

export async function build(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const hosts of sizes) figures.push(...(await at(hosts)));
  return figures;
}

async function at(hosts: number): Promise<Figure[]> {
  const bounded = (bound: number) => (hosts === boundAt ? { bound } : {});
  const certificates = Math.min(2_000, hosts / 5);
  let snapshot = await plainHosts(hosts, certificates);
  const full: number[] = [];
  for (let tries = 0; tries < 3; tries++) {
    const pipeline = await openPipeline();
    full.push(cpuOf(() => pipeline.turn(snapshot)));
  }
  const pipeline = await openPipeline();
  pipeline.turn(snapshot);
  const each = (change: (at: number) => object): number[] =>
    Array.from({ length: changes }, (_, at) => {
      const object = change(at);
      return cpuOf(() => {
        snapshot = changed(snapshot, object) satisfies Snapshot;
        pipeline.turn(snapshot);
      });
    });
  const renewed = await Promise.all(Array.from({ length: changes }, (_, at) => secret(at % certificates)));
  const route = each((at) => ingress((at * 7) % hosts, { path: `/changed-${at}` }));
  const born = each((at) => ingress(hosts + at));
  const endpoints = each((at) => slice((at * 7) % hosts, ["10.99.0.1"]));
  const certificate = each((at) => renewed[at]!);
  const figure = (what: string, values: number[], more: Partial<Figure> = {}): Figure => ({
    what,
    hosts,
    unit: "ms",
    values,
    ...more,
  });
  return [
    figure(`full build, a fifth of the hosts (at most 2,000) with certificates`, full, bounded(1_500)),
    figure("changed Ingress", route, bounded(20)),
    figure("new Ingress", born),
    figure("changed endpoints", endpoints, bounded(2)),
    figure("renewed certificate", certificate, bounded(2)),
  ];
}
