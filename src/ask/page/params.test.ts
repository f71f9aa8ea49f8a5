import { expect, test } from "vitest";
import { askParameters, listParameters, listQuery, questionIn, routeParameters, whyWrong } from "./params.ts";

const wrong = (query: string, known = listParameters) => whyWrong(new URLSearchParams(query), "routes", known);
const list = (query: string) => listQuery(new URLSearchParams(query), ["host", "path"]);

test("a parameter has to be known, short enough and given once", () => {
  expect(wrong("filter=a&sort=host&order=desc&offset=0&limit=5")).toBeUndefined();
  for (const [query, why] of [
    ["fliter=a", '"fliter" is not a parameter of routes, which takes filter, sort, order, offset, limit'],
    ["__proto__=a", '"__proto__" is not a parameter of routes, which takes filter, sort, order, offset, limit'],
    ["filter=a&filter=b", "filter is given more than once"],
    [`filter=${"x".repeat(201)}`, "filter has 201 characters, and may have 200"],
    ["limit=1000", "limit has 4 characters, and may have 3"],
    [
      "%1b[31m%E2%80%AE=a",
      '"\\u001b[31m\\u202e" is not a parameter of routes, which takes filter, sort, order, offset, limit',
    ],
  ] as const)
    expect(wrong(query)).toBe(why);
  expect(wrong("filter=a", {})).toBe('"filter" is not a parameter of routes, which takes none');
  expect(wrong("header=a:1&header=b:2", askParameters)).toBeUndefined();
  expect(wrong(`host=${"a".repeat(301)}`, routeParameters)).toBe("host has 301 characters, and may have 300");
});

test("a list accepts the names of its columns, an order, and numbers within their limits", () => {
  expect(list("")).toEqual({ words: [], sort: "", descending: false, offset: 0, limit: 100 });
  expect(list("filter=+Shop%09shop%0aB&sort=path&order=desc&offset=200&limit=500")).toEqual({
    words: ["shop", "b"],
    sort: "path",
    descending: true,
    offset: 200,
    limit: 500,
  });
  for (const [query, why] of [
    ["sort=constructor", 'sort is "constructor", and may be host, path'],
    ["order=up", 'order is "up", and may be asc or desc'],
    ["limit=0", 'limit is "0", and may be a whole number from 1 to 500'],
    ["limit=501", 'limit is "501", and may be a whole number from 1 to 500'],
    ["offset=-1", 'offset is "-1", and may be a whole number from 0 to 9999999'],
    ["offset=1e3", 'offset is "1e3", and may be a whole number from 0 to 9999999'],
    ["offset=", 'offset is "", and may be a whole number from 0 to 9999999'],
    [`filter=${[..."abcdefghijklmnopqrstu"].join("+")}`, "filter has 21 words, and may have 20"],
  ] as const)
    expect(list(query)).toBe(why);
});

test("the parameters of a request to trace are its URL, and its headers as they are sent", () => {
  const question = (query: string) => questionIn(new URLSearchParams(query));
  expect(question("url=a&header=__proto__:%20x%20&header=X-A:y:z")).toEqual({
    url: "a",
    headers: Object.fromEntries([
      ["__proto__", "x"],
      ["X-A", "y:z"],
    ]),
  });
  expect(question("method=GET")).toBe("the parameter url is missing");
  expect(question("url=a&header=x")).toBe('a header is written as Name: value, but this one is "x"');
  expect(question("url=a&header=a:b%0d%0ac:d")).toBe(
    'a header is written as Name: value, but this one is "a:b\\u000d\\u000ac:d"',
  );
  expect(question(`url=a${"&header=a:1".repeat(101)}`)).toBe("there are 101 headers, and may be 100");
});
