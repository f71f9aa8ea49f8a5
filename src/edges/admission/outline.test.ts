/** Reviews are split as JSON.parse would read them, and huge ones are refused without parsing. */
import { expect, test } from "vitest";
import { atOnce } from "../../base/timing/paced.ts";
import { readQuestion } from "./admission-review.ts";
import { type Outline, outlineOf } from "./outline.ts";

const outline = (text: string): Outline | undefined => atOnce(outlineOf(text));
const around = (object: string, more = "") =>
  `{"kind":"AdmissionReview","request":{"uid":"u","object":${object}${more}}}`;

test.each([
  { a: 1 },
  { object: { object: 1 }, oldObject: [{ oldObject: {} }] },
  { text: '"object":{"a":1},\\" \\\\ } ] [ {', "a\\": ["\\", '"', ":", ","] },
  { "\u2028é\u{1f600}": "\ud800", deep: [[[[[[{}]]]]]] },
  [],
  "object",
  null,
  5,
])("the object %j is cut out of a review, and oldObject is left out", (object) => {
  for (const space of [0, 2]) {
    const request = { uid: "u", object, options: { object: 1 }, oldObject: object, dryRun: false };
    const text = JSON.stringify({ kind: "AdmissionReview", request, more: [1, "{"] }, undefined, space);
    const found = outline(text);
    expect(JSON.parse(found!.object!)).toEqual(JSON.parse(JSON.stringify(object)));
    const rest = { ...request, object: null, oldObject: null };
    expect(JSON.parse(found!.rest)).toEqual({ kind: "AdmissionReview", request: rest, more: [1, "{"] });
  }
});

test.each([
  "",
  "{",
  "}",
  "]]",
  '"',
  '{"request":{"object":',
  '{"request":{"object":"\\',
  ":,:,{[}]",
  '{"a":{"object":1',
])("the text %j is refused as no review", (text) =>
  expect(readQuestion(text)).toMatchObject({ ok: false, status: 400 }),
);

const members = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",");
const tooLarge = "it is larger or deeper than any review that the API server sends";

test.each([
  ["brackets", around("[".repeat(100))],
  ["lists in lists that are closed", around("[".repeat(100) + "]".repeat(100))],
  ["empty objects", around(`[${"{},".repeat(300_000)}{}]`)],
  ["numbers", around(`[${"1,".repeat(300_000)}1]`)],
  ["names", around(`{${members(40_000)}}`)],
  ["a large user", around("{}", `,"userInfo":[${"1,".repeat(30_000)}1]`)],
  ["an object by another name", `{"request":{"uid":"u","\\u006fbject":[${"1,".repeat(30_000)}1]}}`],
  ["much beside the request", `{"other":[${"[],".repeat(30_000)}[]],"request":{"uid":"u"}}`],
])("a review with %s beyond what an API server sends is refused before it is parsed", (_, text) => {
  expect(outline(text)).toBeUndefined();
  expect(readQuestion(text)).toEqual({ ok: false, status: 400, why: tooLarge });
});

test("the largest Ingresses that an API server stores are read: 19,000 paths, or annotations of 256 KiB", () => {
  const path = (at: number) =>
    `{"path":"/p${at}","pathType":"Exact","backend":{"service":{"name":"a","port":{"number":80}}}}`;
  const paths = `{"metadata":{"name":"a"},"spec":{"rules":[{"http":{"paths":[${Array.from({ length: 19_000 }, (_, at) => path(at)).join(",")}]}}]}}`;
  const kind = '"kind":{"group":"networking.k8s.io","version":"v1","kind":"Ingress"}';
  const annotations = `{"metadata":{"name":"a","annotations":{"a":${JSON.stringify(',"{['.repeat(60 * 1024))}}}}`;
  for (const object of [paths, annotations])
    expect(
      readQuestion(`{"apiVersion":"admission.k8s.io/v1",${around(object, `,"oldObject":${object},${kind}`).slice(1)}`),
    ).toMatchObject({ ok: true });
});
