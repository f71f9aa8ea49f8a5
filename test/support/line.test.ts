import { expect, test } from "vitest";
import { Chance } from "./chance.ts";
import { grows, lineThrough, type Point } from "./line.ts";

const noisy = (slope: number, noise: number): Point[] => {
  const chance = new Chance(7);
  return Array.from({ length: 100 }, (_, x) => [x, 50 + slope * x + noise * (chance.share() - 0.5)]);
};

test("the rise of a straight line is found through noise", () => {
  const straight = lineThrough([0, 1, 2, 5].map((x) => [x, 10 + 2 * x]));
  expect(straight.rise).toBeCloseTo(10);
  expect(straight.error).toBeCloseTo(0);
  const line = lineThrough(noisy(0.1, 10));
  expect(Math.abs(line.rise - 9.9)).toBeLessThan(2 * line.error);
  expect(line.level).toBeCloseTo(55, 0);
});

test("noise alone does not count as growth, and a slow rise under it does", () => {
  expect(grows(lineThrough(noisy(0, 20)), 1)).toBe(false);
  expect(grows(lineThrough(noisy(0.2, 20)), 10)).toBe(true);
  expect(grows(lineThrough(noisy(0.2, 20)), 25)).toBe(false);
});
