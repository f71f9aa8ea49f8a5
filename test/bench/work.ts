/**
 * Counts the instructions of a full build with valgrind, and measures its memory, for Ingresses,
 * for HTTPRoutes, and for both on one port. A busy machine changes neither. The build runs as one
 * bundle and in one thread. A build of ten hosts is nearly the cost of loading the program; the
 * rest belongs to the hosts.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { rolldown } from "rolldown";
import type { Figure } from "./measured.ts";
import { sizesOr } from "./support/sizes.ts";
import type { Crowd } from "./support/whole-build.ts";

const root = join(import.meta.dirname, "../..");
const few = 10;
const crowds: readonly Crowd[] = ["Ingresses", "HTTPRoutes", "Ingresses and HTTPRoutes on one port"];

export async function work(): Promise<Figure[]> {
  const program = await bundled();
  const figures: Figure[] = [];
  for (const hosts of sizesOr([1_000])) {
    for (const crowd of crowds) {
      const start = await instructionsOf(program, crowd, few);
      const build = (await instructionsOf(program, crowd, hosts)) - start;
      const { records, heap } = await measured(program, crowd, hosts);
      const million = (value: number) => [value / 1e6];
      if (crowd === crowds[0]) {
        const what = "loading the program and building ten hosts: millions of instructions";
        figures.push({ what, unit: "", values: million(start) });
      }
      figures.push(
        { what: `full build, ${crowd}: millions of instructions`, hosts, unit: "", values: million(build) },
        { what: `full build, ${crowd}: all records`, hosts, unit: "KB", values: [records / 1e3] },
        { what: `full build, ${crowd}: the heap afterwards`, hosts, unit: "MB", values: million(heap) },
      );
    }
  }
  rmSync(join(root, "dist"), { recursive: true });
  return figures;
}

/** Returns the path of one file with the build. It reads its templates from the checkout. */
async function bundled(): Promise<string> {
  const bundler = await rolldown({
    cwd: root,
    input: { "whole-build": join(import.meta.dirname, "support/whole-build.ts") },
    platform: "node",
    external: (name) => name.startsWith("node:") || name === "yaml" || name.startsWith("yaml/"),
  });
  await bundler.write({ dir: join(root, "dist"), format: "esm", entryFileNames: "[name].mjs" });
  return join(root, "dist/whole-build.mjs");
}

const argumentsOf = (program: string, crowd: Crowd, hosts: number): readonly string[] => {
  return ["--single-threaded", "--predictable-gc-schedule", "--expose-gc", program, crowd, String(hosts)];
};

async function instructionsOf(program: string, crowd: Crowd, hosts: number): Promise<number> {
  const node = [process.execPath, ...argumentsOf(program, crowd, hosts)];
  const { stderr } = await execa("valgrind", ["--tool=callgrind", "--callgrind-out-file=/dev/null", ...node]);
  return Number(/Collected : (\d+)/.exec(stderr)![1]);
}

async function measured(program: string, crowd: Crowd, hosts: number): Promise<Record<"records" | "heap", number>> {
  const { stdout } = await execa(process.execPath, argumentsOf(program, crowd, hosts));
  return JSON.parse(stdout);
}
