import { expect, test } from "vitest";
import { featureList } from "../../core/policies/registry.ts";
import { annotationsPage, fieldsOf } from "./annotations-page.ts";

const fields = featureList.flatMap(([, feature]) => fieldsOf(feature));

test("the example of each annotation can be read and is on the page", () => {
  const page = annotationsPage();
  const bad = fields.filter(
    ({ key, example, kind }) => !kind.read(example).ok || !page.includes(`${key}: ${JSON.stringify(example)}\n`),
  );
  expect(bad.map(({ key, example }) => [key, example])).toEqual([]);
});
