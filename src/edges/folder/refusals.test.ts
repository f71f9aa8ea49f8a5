import { expect, test } from "vitest";
import { accepted, ingress, refused, secret } from "../../../test/support/manifest-samples.ts";
import { readManifest } from "./manifest.ts";

test.each(refused)("the reader refuses this as the API server does: %s", (text, field, why) => {
  const { faults, objects } = readManifest(text);
  expect(faults).toMatchObject([{ field, fatal: true, why: expect.stringContaining(why) }]);
  expect(objects.map(({ object }) => object).filter(Boolean)).toEqual([]);
});

test.each(accepted)("the reader accepts this as the API server does: %s", (text) => {
  const { faults, objects } = readManifest(text);
  expect(faults).toEqual([]);
  expect(objects.every(({ object }) => object !== undefined)).toBe(true);
});

test("a field that does not exist is ignored, and the message names the nearest one", () => {
  const { faults, objects } = readManifest(ingress("{rules: [{}], ingressClasName: nginx}"));
  expect(faults).toMatchObject([
    { field: "spec.ingressClasName", fatal: false, why: expect.stringContaining("ingressClassName") },
  ]);
  expect(objects.map(({ object }) => object)).toMatchObject([{ kind: "Ingress", spec: { rules: [{}] } }]);
});

test("a field that stands one level too high is told where it belongs", () => {
  const { faults } = readManifest(ingress("{rules: [{host: a.example, http: , paths: []}]}"));
  expect(faults).toMatchObject([
    { field: "spec.rules[0].paths", fatal: false, why: "there is no such field; paths belongs below http" },
  ]);
});

test("no message repeats a value of a Secret, whatever is wrong with it", () => {
  const word = "hunter2";
  const texts = [
    secret(`data: {a: '${word}!'}`),
    secret(`data: {a: *${word}}`),
    secret(`data: {a: "\\q${word}"}`),
    secret(`data:\n\t${word}`),
    secret(`data: {a: ${word}: b}`),
    secret(`data: [${word}]`),
    secret(`stringData: {a: {b: ${word}}}`),
    secret(`type: kubernetes.io/tls\nstringData: {tls.key: ${word}}`),
  ];
  for (const text of texts) {
    const { faults } = readManifest(text);
    expect(
      faults.map(({ fatal }) => fatal),
      text,
    ).toEqual([true]);
    expect(JSON.stringify(faults)).not.toContain(word);
  }
});
