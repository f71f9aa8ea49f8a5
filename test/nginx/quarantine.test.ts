/**
 * Checks that one bad Ingress harms no other: an object that nginx refuses is set aside alone, with
 * the reason, and its last good form is still served.
 */
import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ingress, KubernetesObject } from "../../src/core/model/objects.ts";
import type { Problem } from "../../src/core/model/problem.ts";
import { sentence } from "../../src/core/model/problem.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { ingress, ingressClass } from "../support/ingress.ts";

let subject: Subject;
let problems: readonly Problem[] = [];
/** The names of all objects that were ever reported as refused, also for a moment. */
const blamed = new Set<string>();

beforeAll(async () => {
  const onProblems = (all: readonly Problem[]) => {
    problems = all;
    for (const { kind, object } of all) if (kind === "nginx-refused") blamed.add(object.name);
  };
  subject = await startSubject({ mode: "static", flags: [], objects: base, onProblems });
});
afterAll(() => subject.stop());

const base: KubernetesObject[] = [ingressClass];

function ingressOf(name: string, path: string, annotations: Record<string, string> = {}): Ingress {
  const words = { name, host: `${name}.example`, annotations, metadata: { uid: name } };
  return ingress({ ...words, paths: [[path, "web", "ImplementationSpecific"]] });
}

/**
 * Returns the status of a request: a known host without endpoints answers 503, an unknown one 404.
 */
function statusOf(host: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = get({ host: "192.0.2.1", path, headers: { Host: host }, agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode));
    });
    asked.on("error", reject);
  });
}
const regex = { "use-regex": "true" };
/** A valid pattern that uses a property which nginx's library does not know. */
const unknown = (property: string) => `/a\\p{${property}}`;

test("a pattern that nginx cannot compile affects only its own Ingress, and a Problem says so", async () => {
  const good = Array.from({ length: 20 }, (_, at) => ingressOf(`good-${at}`, "/"));
  await subject.apply([...good, ingressOf("bad", unknown("Foo"), regex)]);
  await subject.settled();
  expect(await statusOf("good-7.example", "/")).toBe(503);
  expect(await statusOf("bad.example", "/a")).toBe(404);
  expect(problems.map(sentence).filter((text) => text.includes("nginx refused"))).toEqual([
    expect.stringMatching(
      /^nginx refused it: pcre2?_compile\(\) failed: .* in "(?:\(\*LIMIT_MATCH=\d+\))?\^\(\?:\/a\\p\{Foo\}\)"/,
    ),
  ]);
  expect([...blamed]).toEqual(["bad"]);
});

test("a good Ingress that is edited into a bad one keeps its last good form, and later changes of others take effect", async () => {
  await subject.apply([ingressOf("edited", "/fine", regex)]);
  await subject.settled();
  await subject.apply([ingressOf("edited", unknown("Bar"), regex)]);
  await subject.settled();
  await subject.apply([ingressOf("later", "/")]);
  await subject.settled();
  expect(await statusOf("edited.example", "/fine")).toBe(503);
  expect(await statusOf("later.example", "/")).toBe(503);
  await subject.apply([ingressOf("edited", unknown("Bar2"), regex), ingressOf("last", "/")]);
  await subject.settled();
  expect(await statusOf("edited.example", "/fine")).toBe(503);
  expect(await statusOf("last.example", "/")).toBe(503);
  expect(problems.filter(({ object, kind }) => object.name === "last" && kind === "nginx-refused")).toEqual([]);
});

test("an Ingress that is corrected is served again, and its Problem ends", async () => {
  await subject.apply([ingressOf("bad", "/mended", regex)]);
  await subject.settled();
  expect(await statusOf("bad.example", "/mended")).toBe(503);
  expect(problems.map(sentence).filter((text) => text.includes("{Foo}"))).toEqual([]);
});

test("settings that change in the same turn are not set aside with the bad Ingress, although one of them has no line in the text", async () => {
  const data = { "annotations-risk-level": "Critical", "global-auth-url": "http://192.0.2.99/" };
  const metadata = { name: "ingress-nginx-controller", namespace: "ingress-nginx" };
  const changed = { apiVersion: "v1", kind: "ConfigMap", metadata, data } as KubernetesObject;
  await subject.apply([changed, ingressOf("both", unknown("Baz"), regex), ingressOf("beside", "/")]);
  await subject.settled();
  expect(problems.filter(({ object }) => object.kind === "ConfigMap").map(sentence)).toEqual([]);
  expect(
    problems
      .filter(({ object }) => object.name === "both")
      .map(sentence)
      .join(),
  ).toMatch(/^nginx refused it: pcre/);
  expect(await statusOf("beside.example", "/")).toBe(503);
});
