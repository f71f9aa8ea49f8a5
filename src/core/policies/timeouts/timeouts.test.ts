import { expect, test } from "vitest";
import { noLimit } from "../../model/filters.ts";
import { timeoutsOf } from "./declaration.ts";

const read = (timeouts?: { readonly request?: string; readonly backendRequest?: string }) => {
  const found = timeoutsOf(timeouts === undefined ? {} : { timeouts });
  return found?.ok ? found.filtersAt("/").timeouts : found?.part;
};

test("0s is no limit, and only where no other limit is given it lifts those of the ConfigMap", () => {
  const free = { request: undefined, backendRequest: noLimit };
  expect(read()).toBe(undefined);
  expect(read({})).toBe(undefined);
  expect(read({ request: "0s" })).toEqual(free);
  expect(read({ backendRequest: "0ms" })).toEqual(free);
  expect(read({ request: "0s", backendRequest: "0s" })).toEqual(free);
  expect(read({ request: "0s", backendRequest: "2s" })).toEqual({ request: undefined, backendRequest: 2_000 });
  expect(read({ request: "1m", backendRequest: "0s" })).toEqual({ request: 60_000, backendRequest: undefined });
  expect(read({ request: "soon" })).toBe(".timeouts.request");
});
