import { expect, test } from "vitest";
import { Token } from "../../tokens/token.ts";
import { dataSlot } from "../conf/text-servers.ts";
import type { Shape } from "./shape.ts";
import { UsedShapes } from "./used-shapes.ts";

const file = (path: string) => ({ path, content: "", opened: path.startsWith("data/") });
const shape = (name: string, ...paths: string[]): Shape => ({
  name,
  text: Token.conf``,
  variables: {},
  beside: [],
  plain: false,
  needsPath: false,
  files: paths.map(file),
  needs: new Set(),
  http: [],
  pools: [],
});

test("a Shape stays while any Server uses it, counted for each server block", () => {
  const used = new UsedShapes();
  const [a, b] = [shape("@a"), shape("@b")];
  for (const [slot, one] of [
    [dataSlot, b],
    [dataSlot, a],
    [dataSlot, a],
    ["own.example", a],
  ] as const)
    used.use(slot, one);
  expect(used.places).toEqual(["@a", "@b", "own.example@a"]);
  expect(used.of(dataSlot)).toEqual([a, b]);
  used.leave(dataSlot, a);
  expect(used.of(dataSlot)).toEqual([a, b]);
  used.leave(dataSlot, a);
  expect(used.places).toEqual(["@b", "own.example@a"]);
  expect(used.areAmong(new Set(["@b", "own.example@a", "@c"]))).toBe(true);
  expect(used.areAmong(new Set(["@b", "@a"]))).toBe(false);
});

test("a text has the shapes of neighbouring values as well, and no record waits for those", () => {
  const used = new UsedShapes();
  const near = shape("@near");
  used.use(dataSlot, { ...shape("@a"), near: () => [near] });
  expect(used.places).toEqual(["@a", "@near"]);
  expect(used.of(dataSlot).map(({ name }) => name)).toEqual(["@a", "@near"]);
  expect(used.areAmong(new Set(["@a"]))).toBe(true);
  expect(used.size).toBe(1);
});

test("a file that requests open exists while any Shape names it", () => {
  const used = new UsedShapes();
  const [a, b] = [shape("@a", "data/opened/1", "tls/2"), shape("@b", "data/opened/1")];
  used.use(dataSlot, a);
  used.use("own.example", b);
  expect(used.opened.map(({ path }) => path)).toEqual(["data/opened/1"]);
  used.leave(dataSlot, a);
  expect(used.opened).toHaveLength(1);
  used.leave("own.example", b);
  expect(used.opened).toEqual([]);
});
