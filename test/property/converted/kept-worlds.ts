/**
 * Reads and writes worlds that are kept in files. A seed gives another world when an annotation is
 * added or a sample changes, so a world that has found a mistake is kept as a whole.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type World, worldFrom } from "./search.ts";

const folder = fileURLToPath(new URL("kept", import.meta.url));

/** A line for the seed and the ConfigMap, and then one for each Ingress. */
export function keep({ seed, settings, sketches }: World): void {
  const lines = [{ seed, settings }, ...sketches].map((one) => JSON.stringify(one));
  writeFileSync(join(folder, `${seed}.jsonl`), `${lines.join("\n")}\n`);
}

export function keptWorlds(): readonly World[] {
  const numbers = readdirSync(folder).map((file) => Number.parseInt(file, 10));
  return numbers
    .sort((a, b) => a - b)
    .map((number) => {
      const text = readFileSync(join(folder, `${number}.jsonl`), "utf8");
      const [head, ...sketches] = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      // A rule for all hosts has an undefined host, which JSON leaves out.
      return worldFrom({ ...head, sketches });
    });
}
