import { expect, test } from "vitest";
import { emptySnapshot } from "../model/snapshot.ts";
import type { RenderedText } from "../render/rendering.ts";
import { Generations } from "./generations.ts";

const made = (generation: string, ...shapes: string[]) => {
  const text: RenderedText = {
    conf: "",
    generation,
    files: [],
    shapes: new Set(shapes),
    parts: {},
    ownersAt: () => new Set<string>(),
  };
  return { text, snapshot: { ...emptySnapshot } };
};

test("during a reload the running text, the coming one and the wanted one are three", () => {
  const generations = new Generations();
  const [one, two, three] = [made("1", "@a"), made("2", "@b"), made("3", "@c")];
  generations.want(one);
  expect(generations.isBehind).toBe(true);
  generations.serve(generations.begin());
  generations.end();
  generations.want(two);
  expect(generations.begin()).toBe(two);
  generations.want(three);
  expect(generations.shapes).toEqual({ running: new Set(["@a"]), coming: new Set(["@b"]), older: [] });
  generations.end();
  generations.serve(two);
  expect(generations.shapes).toEqual({ running: new Set(["@b"]), coming: undefined, older: [new Set(["@a"])] });
  generations.olderGone();
  expect(generations.shapes.older).toEqual([]);
  expect(generations.isBehind).toBe(true);
  expect(generations.liveSnapshot).toBe(two.snapshot);
});

test("refused texts are given up together, until nginx takes another", () => {
  const generations = new Generations();
  const [one, two, good] = [made("1"), made("2"), made("3")];
  generations.refuse(one.text);
  expect(generations.isGivenUp(one.text)).toBe(false);
  generations.refuse(two.text);
  generations.giveUp();
  expect([one, two, good].map(({ text }) => generations.isGivenUp(text))).toEqual([true, true, false]);
  generations.serve(good);
  expect(generations.isGivenUp(one.text)).toBe(false);
});
