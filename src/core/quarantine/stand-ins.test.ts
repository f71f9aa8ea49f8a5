import { expect, test } from "vitest";
import { StandIns } from "./stand-ins.ts";

const one = (version: string) => ({ version, form: `form ${version}` });

test("the live version stands in for a refused one, unless it was refused too", () => {
  const standIns = new StandIns<string, string>();
  expect(standIns.take("a", "2", one("1"))).toBe("form 1");
  expect(standIns.take("a", "2", one("1"))).toBe("form 1");
  expect(standIns.take("a", "3", one("2"))).toBe("form 1");
  expect(standIns.take("a", "4", one("3"))).toBe("form 1");
});

test("nothing stands in for an object that was refused from its first version on", () => {
  const standIns = new StandIns<string, string>();
  expect(standIns.take("a", "1", undefined)).toBeUndefined();
  expect(standIns.take("a", "2", one("1"))).toBeUndefined();
  expect(standIns.take("b", "1", one("1"))).toBeUndefined();
});

test("a suspect that was restored counts as good", () => {
  const standIns = new StandIns<string, string>();
  standIns.take("a", "2", one("1"));
  standIns.keep(() => false);
  expect(standIns.take("a", "3", one("2"))).toBe("form 2");
});
