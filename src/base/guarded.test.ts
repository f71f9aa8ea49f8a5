import { expect, test } from "vitest";
import { bugProblem, sentence } from "../core/model/problem.ts";
import { guarded } from "./guarded.ts";

const object = { kind: "Ingress", namespace: "shop", name: "web" };

test("work that throws gives the fallback, and its Problem names the bug and where it happened", () => {
  const failing = (): string => {
    throw new RangeError("too deep");
  };
  const text = guarded(failing, (bug) => sentence(bugProblem(object, bug)));
  expect(text).toMatch(
    /^it is not applied because Sluice failed on it \(RangeError: too deep at failing \(guarded\.test\.ts:\d+\)\); this is a bug in Sluice, please report it/,
  );
  expect(guarded(() => "well", String)).toBe("well");
});
