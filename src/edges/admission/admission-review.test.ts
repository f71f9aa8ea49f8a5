import { expect, test } from "vitest";
import { answerTo, readQuestion } from "./admission-review.ts";

const kind = { group: "networking.k8s.io", version: "v1", kind: "Ingress" };
const review = (request: object) =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "u", kind, ...request },
  });

test("an Ingress that names no namespace is read in the namespace of its request", () => {
  const object = { metadata: { name: "a", creationTimestamp: null }, spec: { rules: [{ host: "a.example" }] } };
  expect(readQuestion(review({ namespace: "shop", object }))).toEqual({
    ok: true,
    question: { uid: "u", object: { ...object, kind: "Ingress", metadata: { name: "a", namespace: "shop" } } },
  });
  expect(readQuestion(review({ operation: "DELETE", object: null }))).toMatchObject({ ok: true });
});

test.each([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["another version", review({}).replace("admission.k8s.io/v1", "admission.k8s.io/v1beta1")],
  ["no object", review({})],
  ["metadata that is not a mapping", review({ object: { metadata: 5 } })],
  ["an annotation that is no text", review({ object: { metadata: { annotations: { a: 1 } } } })],
  ["rules that are no list", review({ object: { metadata: {}, spec: { rules: {} } } })],
  ["a path without a backend", review({ object: { metadata: {}, spec: { rules: [{ http: { paths: [{}] } }] } } })],
  ["a class that is null", review({ object: { metadata: {}, spec: { ingressClassName: null } } })],
])("%s cannot be read as a review", (_what, text) => {
  expect(readQuestion(text)).toMatchObject({ ok: false, status: 400 });
});

test("a review of another kind of object is answered as an error of the server", () => {
  const other = { ...kind, kind: "IngressClass" };
  expect(readQuestion(review({ kind: other, object: {} }))).toMatchObject({ ok: false, status: 500 });
});

test("a refusal has its message and its warnings, and an answer without warnings has no field for them", () => {
  const refusal = JSON.parse(answerTo("u", { allowed: false, message: "m", warnings: ["w"] }));
  expect(refusal.response).toEqual({
    uid: "u",
    allowed: false,
    status: { status: "Failure", message: "m", reason: "BadRequest", code: 400 },
    warnings: ["w"],
  });
  expect(JSON.parse(answerTo("u", { allowed: true, message: "", warnings: [] })).response).toEqual({
    uid: "u",
    allowed: true,
  });
});
