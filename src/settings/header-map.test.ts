import { expect, test } from "vitest";
import { sentence } from "../problem.ts";
import { headersOf } from "./header-map.ts";
import { defaultSettings } from "./registry.ts";

const read = (data: Record<string, string>, settings = defaultSettings) => {
  const { headers, problems } = headersOf(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "edge", name: "extra" }, data },
    settings,
  );
  return { headers: headers.map(({ name, value }) => `${name}: ${value}`), said: problems.map(sentence) };
};

test("entries are headers in the order of their names, with variables, and an empty one removes", () => {
  expect(read({ "X-Zone": "north\n", "X-Id": 'a "$req_id"', "X-Price": "5 $", Server: "" })).toEqual({
    headers: ['Server: ""', 'X-Id: "a \\"${req_id}\\""', 'X-Price: "5 ${literal_dollar}"', 'X-Zone: "north"'],
    said: [],
  });
});

test("what cannot be a header is left out, and the others stay", () => {
  const data = { "bad name": "x", "X-Two": "a\nX-Forged: b", "X-Var": "$nope", "X-Ok": "1" };
  expect(read(data)).toEqual({
    headers: ['X-Ok: "1"'],
    said: [
      'data.X-Two: "a\\nX-Forged: b" has a line break or control character; it is left out',
      'data.X-Var: "$nope" names $nope, which nothing declares; it is left out',
      'data.bad name: "bad name" is not a header name of letters, digits, - and _; it is left out',
    ],
  });
});

test("a variable that a snippet of the operator declares can be used", () => {
  const settings = { ...defaultSettings, httpSnippet: "map $host $zone { default north; }" };
  expect(read({ "X-Zone": "$zone" }, settings)).toEqual({ headers: ['X-Zone: "${zone}"'], said: [] });
});
