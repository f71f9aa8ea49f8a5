import { expect, test } from "vitest";
import { StandIns } from "./stand-ins.ts";

const one = (version: string) => ({ version, form: `form ${version}` });

test("what is live stands in, unless it was refused too", () => {
  const standIns = new StandIns<string, string>();
  expect(standIns.take("a", "2", one("1"))).toBe("form 1");
  expect(standIns.take("a", "2", one("1"))).toBe("form 1");
  expect(standIns.take("a", "3", one("2"))).toBe("form 1");
  expect(standIns.take("a", "4", one("3"))).toBe("form 1");
});

test("nothing stands in for what was refused from the beginning, edited or not", () => {
  const standIns = new StandIns<string, string>();
  expect(standIns.take("a", "1", undefined)).toBeUndefined();
  expect(standIns.take("a", "2", one("1"))).toBeUndefined();
  expect(standIns.take("b", "1", one("1"))).toBeUndefined();
});

test("a suspect that was given back is as good as any", () => {
  const standIns = new StandIns<string, string>();
  standIns.take("a", "2", one("1"));
  standIns.keep(() => false);
  expect(standIns.take("a", "3", one("2"))).toBe("form 2");
});
