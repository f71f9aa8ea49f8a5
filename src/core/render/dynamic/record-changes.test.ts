import { expect, test } from "vitest";
import { RecordChanges } from "./record-changes.ts";

const there = new Map([
  ["host a", "1"],
  ["host b", "1"],
  ["host c", "1"],
]);

test("a write that leaves the present records the same does not count as a change", () => {
  const changes = new RecordChanges();
  changes.put("host a", "1");
  changes.put("host b", "2", ["@shape"]);
  changes.remove("host c");
  changes.remove("host d");
  changes.putOrRemove("patterns", undefined);
  expect(changes.since(there)).toEqual(
    new Map([
      ["host b", { value: "2", shapes: ["@shape"] }],
      ["host c", { value: undefined, shapes: [] }],
    ]),
  );
});

test("a name that moves from one Server to another stays, in whatever order the two are rendered", () => {
  const changes = new RecordChanges();
  changes.put("host a", "2");
  changes.remove("host a");
  changes.remove("host b");
  changes.put("host b", "2");
  expect([...changes.since(there)].map(([key, { value }]) => [key, value])).toEqual([
    ["host a", "2"],
    ["host b", "2"],
  ]);
});
