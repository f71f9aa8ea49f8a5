import { expect, test } from "vitest";
import { base, ingress, put } from "../../../test/support/sketch.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { Neighbours } from "./neighbours.ts";

const neighbours = new Neighbours(defaultOptions);
function at(snapshot: Snapshot): string[] {
  neighbours.catchUp(snapshot);
  return [...neighbours.at({ host: "a.example", path: "/", type: "exact" })].sort();
}
const a = ingress({ name: "a", host: "a.example" });
const b = ingress({ name: "b", host: "A.example", paths: [["", "web"]] });

test("a path has the Ingresses that exist and are ours, after each addition, change and removal", () => {
  expect(at(put(base, a))).toEqual(["ns/a"]);
  expect(at(put(base, a, b))).toEqual(["ns/a", "ns/b"]);
  expect(at(put(base, b))).toEqual(["ns/b"]);
  expect(at(put(base, ingress({ name: "b", host: "b.example" }), a))).toEqual(["ns/a"]);
  expect(at({ ...put(base, a), ingressClasses: Table.empty() })).toEqual([]);
  expect(at(put(base, a))).toEqual(["ns/a"]);
});
