import { expect, test } from "vitest";
import { emptySnapshot } from "../model/snapshot.ts";
import type { RenderedText } from "../render/rendering.ts";
import { Texts } from "./generations.ts";

const made = (generation: string, ...shapes: string[]) => {
  const text: RenderedText = { conf: "", generation, files: [], shapes: new Set(shapes), parts: {} };
  return { text, snapshot: { ...emptySnapshot } };
};

test("during a reload the running text, the coming one and the wanted one are three", () => {
  const texts = new Texts();
  const [one, two, three] = [made("1", "@a"), made("2", "@b"), made("3", "@c")];
  texts.want(one);
  expect(texts.isBehind).toBe(true);
  texts.serve(texts.begin());
  texts.end();
  texts.want(two);
  expect(texts.begin()).toBe(two);
  texts.want(three);
  expect(texts.shapes).toEqual({ running: new Set(["@a"]), coming: new Set(["@b"]), older: [] });
  texts.end();
  texts.serve(two);
  expect(texts.shapes).toEqual({ running: new Set(["@b"]), coming: undefined, older: [new Set(["@a"])] });
  texts.olderGone();
  expect(texts.shapes.older).toEqual([]);
  expect(texts.isBehind).toBe(true);
  expect(texts.liveSnapshot).toBe(two.snapshot);
});

test("refused texts are given up together, until nginx takes another", () => {
  const texts = new Texts();
  const [one, two, good] = [made("1"), made("2"), made("3")];
  texts.refuse(one.text);
  expect(texts.isGivenUp(one.text)).toBe(false);
  texts.refuse(two.text);
  texts.giveUp();
  expect([one, two, good].map(({ text }) => texts.isGivenUp(text))).toEqual([true, true, false]);
  texts.serve(good);
  expect(texts.isGivenUp(one.text)).toBe(false);
});
