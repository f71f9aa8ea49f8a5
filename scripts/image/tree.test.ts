import { expect, test } from "vitest";
import { layerOf } from "./oci.ts";
import { file, link, type Tree, writeArchive } from "./tree.ts";

test("equal trees give equal bytes, whatever the order of their entries", async () => {
  const one: Tree = new Map([
    ["usr/bin/b", file("b", 0o755)],
    ["etc/a", link("/usr/bin/b")],
  ]);
  const other: Tree = new Map([...one].toReversed());
  const layers = [layerOf("one", await writeArchive(one)), layerOf("other", await writeArchive(other))];
  expect(layers[0]!.archive.equals(layers[1]!.archive)).toBe(true);
  expect(layers[0]!.compressed.equals(layers[1]!.compressed)).toBe(true);
});
