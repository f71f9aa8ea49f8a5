import { expect, test } from "vitest";
import type { DesiredStatus } from "../model/gateway/status.ts";
import { emptySnapshot } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";
import type { RenderedText } from "../render/rendering.ts";
import { Generations, mostOlder } from "./generations.ts";

const candidate = (generation: string, ...shapes: string[]) => {
  const parts = {
    conf: "",
    generation,
    files: [],
    shapes: new Set(shapes),
    parts: {},
    ownersAt: () => new Set<string>(),
  };
  const text: RenderedText = parts;
  return { text, snapshot: { ...emptySnapshot }, statuses: Table.empty<DesiredStatus>() };
};
const statesOf = (generations: Generations, ...names: string[]) => names.map((one) => generations.stateOf(one));

test("during a reload one text is live, one is being applied and one is wanted", () => {
  const generations = new Generations();
  const [one, two, three] = [candidate("1", "@a"), candidate("2", "@b"), candidate("3", "@c")];
  generations.want(one);
  expect(generations.isBehind).toBe(true);
  generations.serve(generations.begin());
  generations.want(two);
  expect(generations.begin()).toBe(two);
  generations.want(three);
  expect(statesOf(generations, "1", "2", "3")).toEqual(["live", "applying", "wanted"]);
  expect(generations.shapes).toEqual({ running: new Set(["@a"]), coming: new Set(["@b"]), older: [] });
  generations.serve(two);
  expect(generations.shapes).toEqual({ running: new Set(["@b"]), coming: undefined, older: [new Set(["@a"])] });
  generations.olderGone();
  expect(generations.shapes.older).toEqual([]);
  expect(generations.isBehind).toBe(true);
  expect(generations.liveSnapshot).toBe(two.snapshot);
});

test("a wanted text is forgotten when a newer one replaces it", () => {
  const generations = new Generations();
  generations.want(candidate("1"));
  generations.want(candidate("2"));
  expect(statesOf(generations, "1", "2")).toEqual([undefined, "wanted"]);
});

test("refused texts are given up together, until nginx accepts another", () => {
  const generations = new Generations();
  const [one, two, good] = [candidate("1"), candidate("2"), candidate("3")];
  generations.refuse(one.text);
  expect(statesOf(generations, "1")).toEqual(["refused"]);
  generations.refuse(two.text);
  generations.giveUp();
  expect(statesOf(generations, "1", "2", "3")).toEqual(["given up", "given up", undefined]);
  expect(generations.isRefused("1")).toBe(true);
  generations.serve(good);
  expect(statesOf(generations, "1")).toEqual([undefined]);
});

test("only the text that failed last waits for its retry", () => {
  const generations = new Generations();
  const [one, two] = [candidate("1"), candidate("2")];
  generations.want(one);
  generations.retryLater(generations.begin().text);
  expect(generations.isWaiting).toBe(true);
  generations.want(two);
  expect(generations.isWaiting).toBe(false);
  generations.retryLater(generations.begin().text);
  expect(statesOf(generations, "1", "2")).toEqual([undefined, "retry"]);
  generations.retryNow();
  expect(generations.isWaiting).toBe(false);
});

test("a live text that is applied again and fails is still live", () => {
  const generations = new Generations();
  const one = candidate("1", "@a");
  generations.want(one);
  generations.serve(generations.begin());
  generations.begin();
  expect(generations.shapes).toMatchObject({ running: new Set(["@a"]), coming: new Set(["@a"]) });
  generations.refuse(one.text);
  expect(statesOf(generations, "1")).toEqual(["live"]);
  expect(generations.shapes).toMatchObject({ running: new Set(["@a"]), coming: undefined });
});

test("only the newest draining texts count", () => {
  const generations = new Generations();
  for (let at = 0; at <= mostOlder + 3; at++) generations.serve(candidate(String(at), `@${at}`));
  const { older } = generations.shapes;
  expect(older).toHaveLength(mostOlder);
  expect(older[0]).toEqual(new Set([`@${mostOlder + 2}`]));
});
