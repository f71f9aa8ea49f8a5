import { expect, test } from "vitest";
import { isKnownVariable } from "../variables.ts";
import { geoip2Variables } from "./geoip2-variables.ts";

test("a variable of a GeoIP database is known by its whole name", () => {
  expect([...geoip2Variables].filter((name) => !isKnownVariable(name, "http"))).toEqual([]);
  expect(isKnownVariable("geoip2_data_country_code", "http")).toBe(false);
  expect(isKnownVariable("geoip2_city_country_code", "stream")).toBe(false);
});
