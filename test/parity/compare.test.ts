import { expect, test } from "vitest";
import { differences } from "./compare.ts";

const request = "GET http://a.example/";

test("equal answers have no differences, whatever the order of their fields", () => {
  const expected = { requests: [{ request, status: 200, headers: { a: "1", b: "2" }, statuses: [1, 2] }] };
  const got = { requests: [{ statuses: [1, 2], headers: { b: "2", a: "1" }, status: 200, request }] };
  expect(differences(expected, got, [])).toEqual([]);
});

test("each field that differs has a line below its request", () => {
  const expected = { requests: [{ request }, { request, status: 200, headers: { a: "1" }, statuses: [1, 2] }] };
  const got = { requests: [{ request }, { request, status: 503, headers: { b: "2" }, statuses: [2, 1] }] };
  expect(differences(expected, got, [])).toEqual([
    `2. ${request}`,
    '   headers.a: expected "1", got nothing',
    '   headers.b: expected nothing, got "2"',
    "   status: expected 200, got 503",
    "   statuses: expected [1,2], got [2,1]",
  ]);
});

test("ignored fields may differ, at any depth", () => {
  const expected = { requests: [{ request, status: 200, headers: { a: "1" } }] };
  const got = { requests: [{ request, status: 200, headers: { a: "2" } }] };
  expect(differences(expected, got, ["a"])).toEqual([]);
});

test("a request without an answer is a difference", () => {
  expect(differences({ requests: [{ request, status: 200 }] }, { requests: [] }, [])).toHaveLength(2);
});

test("refused objects are compared by name, and not by message", () => {
  const refused = (line: string) => ({ requests: [], rejectedByApiServer: [line] });
  expect(differences(refused("Ingress a: no"), refused("Ingress a: never"), [])).toEqual([]);
  expect(differences(refused("Ingress a: no"), { requests: [] }, [])).toEqual([
    'refused objects: expected ["Ingress a"], got []',
  ]);
  expect(differences({ requests: [] }, refused("Ingress a: no"), [])).toEqual([
    'refused objects: expected [], got ["Ingress a"]',
    "   Ingress a: no",
  ]);
});
