/**
 * `npm run bench [NAME ...]`: runs the benchmarks one after another, prints a line for each figure
 * and writes results.json, from which docs/performance.md is made. Nothing else should run
 * meanwhile, because a busy machine changes the figures.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { attacksOf } from "./attacks.ts";
import { build } from "./build.ts";
import { certificates } from "./certificates.ts";
import { cluster } from "./cluster.ts";
import { gateways } from "./gateway.ts";
import { growth } from "./growth.ts";
import { hosts } from "./hosts.ts";
import { informers } from "./informers.ts";
import { instructions } from "./instructions.ts";
import { keystroke } from "./keystroke.ts";
import { type Benchmark, lineOf, type Results } from "./measured.ts";
import { pageOf } from "./page.ts";
import { pageOpen } from "./page-open.ts";
import { peers } from "./peers.ts";
import { replicaCosts } from "./replicas.ts";
import { requests } from "./requests.ts";
import { rollout } from "./rollout.ts";
import { scale } from "./scale.ts";
import { metrics } from "./scrape.ts";
import { staticHosts } from "./static.ts";
import { streamRollout } from "./stream-rollout.ts";
import { streams } from "./streams.ts";
import { tools } from "./tools.ts";
import { webhook } from "./webhook.ts";
import { work } from "./work.ts";

const benchmarks: Readonly<Record<string, Benchmark>> = {
  build,
  hosts,
  scale,
  certificates,
  static: staticHosts,
  cluster,
  replicas: replicaCosts,
  rollout,
  informers,
  requests,
  instructions,
  work,
  gateway: gateways,
  streams,
  "stream-rollout": streamRollout,
  keystroke,
  webhook,
  growth,
  attacks: attacksOf,
  metrics,
  page: pageOpen,
  tools,
  peers,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}; there are ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(2);
}
const file = (name: string) => new URL(name, import.meta.url);
const results: Record<string, Results> = JSON.parse(readFileSync(file("results.json"), "utf8"));
for (const name of asked.length > 0 ? asked : Object.keys(benchmarks)) {
  const figures = await benchmarks[name]!().catch((failure: unknown) => {
    // The other benchmarks are still worth running; this one keeps its earlier figures.
    console.error(`benchmark ${name} failed:`, failure);
    process.exitCode = 1;
  });
  if (figures === undefined) continue;
  for (const figure of figures) console.log(lineOf(figure));
  results[name] = { taken: new Date().toISOString().slice(0, 10), conditions: conditions(), figures };
  const inOrder = Object.keys(benchmarks).flatMap((one) => (results[one] === undefined ? [] : [[one, results[one]]]));
  const kept = JSON.stringify(Object.fromEntries(inOrder), rounded, 1);
  writeFileSync(file("results.json"), `${kept}\n`);
  writeFileSync(
    file("../../docs/performance.md"),
    // Figures are rounded only once, so that the page shows exactly the figures of the file.
    pageOf(JSON.parse(kept), readFileSync(file("notes.md"), "utf8"), readFileSync(file("reload-costs.md"), "utf8")),
  );
}

function conditions(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown CPU";
  return `${cpus().length} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, Linux`;
}

/** More than four digits would suggest too much precision. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(4)) : value;
}
