import { expect, test } from "vitest";
import { readRequest } from "../../src/ask/matcher/request.ts";
import { refused, served } from "../hostile/support/targets.ts";

const read = (target: string) =>
  readRequest({ scheme: "http", host: "a.example", target, method: "GET", headers: new Map() });

test.each(served)("the target %s is sent as %s", (target, sent) => {
  expect(read(target)?.requestUri).toBe(sent);
});

test.each(refused.filter((target) => !/^a\.example/.test(target)))("nginx refuses the target %s", (target) => {
  expect(read(target)).toBeUndefined();
});
