import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { liveBytes } from "../../../test/support/live-bytes.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { packed } from "./packed.ts";

test("a packed text is the same when it is unpacked", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 200 });
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: 2000 }), (text, times) => {
      expect(packed(text.repeat(times))()).toBe(text.repeat(times));
    }),
    { seed: 20261127, numRuns: 100 },
  );
});

const service = (at: number) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: `a-service-with-a-long-name-${at}`, labels: { app: `a-label-of-the-service-${at}` } },
  spec: { selector: { app: `a-selector-of-the-service-${at}` }, ports: [{ port: 80 }] },
});

test.each([
  ["YAML", stringify],
  ["JSON", JSON.stringify],
])("the objects of a %s file keep little of its text in memory, and know their lines", async (_, write) => {
  const documents = Array.from({ length: 100 }, (_, at) => write(service(at)));
  // Spaces make the text much longer than its objects.
  const text = documents.map((document) => `${document}\n${" ".repeat(100_000)}\n`).join("---\n");
  const kept: Manifest[] = [];
  readManifest(text); // loads the reader
  const before = await liveBytes();
  // A copy in the heap of V8, where it is counted.
  kept.push(readManifest(JSON.parse(JSON.stringify(text))));
  const grown = (await liveBytes()) - before;
  expect(grown, "bytes").toBeLessThan(text.length / 10);
  const last = kept[0]!.objects[99]!;
  const line = text.slice(0, text.indexOf("a-selector-of-the-service-99")).split("\n").length;
  expect(last.placeOf(["spec", "selector", "app"]).line).toBe(line);
});
