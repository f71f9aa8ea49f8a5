/**
 * Tests snippets that nginx refuses: only the Ingress of each is set aside, whatever else changed
 * in the same turn, and the snippets that the operator permits still work. Sluice finds the
 * snippets by the lines in nginx's message, so many bad ones need few tries.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../src/core/model/problem.ts";
import { type LocalSubject, startSubject } from "../parity/subject.ts";
import { ingress, ingressClass } from "../support/sketch.ts";
import { request } from "./support/request.ts";

const settings = (data: Record<string, string>) =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "ingress-nginx-controller", namespace: "ingress-nginx" },
    data: { "annotations-risk-level": "Critical", "allow-snippet-annotations": "true", ...data },
  }) as KubernetesObject;
const withSnippet = (name: string, text: string) =>
  ingress({ name, host: `${name}.example`, annotations: { "configuration-snippet": text } });
const bad = (name: string) => withSnippet(name, `nonsense_${name} on;`);

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let subject: LocalSubject;
  let problems: readonly Problem[] = [];
  beforeAll(async () => {
    subject = await startSubject({ mode, flags: [], objects: [ingressClass], onProblems: (all) => (problems = all) });
    await subject.settled();
  });
  afterAll(() => subject.stop());
  const apply = async (...objects: KubernetesObject[]) => {
    await subject.apply(objects);
    await subject.settled();
  };
  /**
   * Returns the status of the host: 503 if it is served, because its Service does not exist, and
   * otherwise 404.
   */
  const status = async (name: string) => (await request({ to: "192.0.2.1:80", host: `${name}.example` })).status;
  const refused = () =>
    problems
      .filter(({ kind }) => kind === "nginx-refused" || kind === "setting-unreadable")
      .map((one) => `${one.object.name} ${sentence(one)}`.replace(/;.*/, ""))
      .sort();

  test("several bad snippets that come with the settings that permit them are set aside, and nothing else is", async () => {
    await apply(settings({}), withSnippet("good", "add_header X-Snippet yes;"), ...["one", "two", "six"].map(bad));
    expect(refused()).toEqual(
      ["one", "six", "two"].map((name) => `${name} nginx refused it: unknown directive "nonsense_${name}"`),
    );
    expect(await Promise.all(["good", "one", "two", "six"].map(status))).toEqual([503, 404, 404, 404]);
  });

  test("a bad snippet beside a faulty setting has its own message, and so has the setting", async () => {
    await apply(settings({ "http-snippet": "nonsense_http on;" }), bad("eight"));
    expect(refused().filter((text) => /eight|controller/.test(text))).toEqual([
      'eight nginx refused it: unknown directive "nonsense_eight"',
      'ingress-nginx-controller key http-snippet: nginx refused it: unknown directive "nonsense_http"',
    ]);
    expect(await status("good")).toBe(503);
  });

  test("corrected snippets are served, and their Problems end", async () => {
    await apply(settings({}), ...["one", "two", "six", "eight"].map((name) => withSnippet(name, "add_header X-A b;")));
    expect(refused()).toEqual([]);
    expect(await Promise.all(["good", "one", "two", "six", "eight"].map(status))).toEqual([503, 503, 503, 503, 503]);
  });

  test("a bad snippet whose Ingress shares its host with another one is set aside alone", async () => {
    const annotations = { "configuration-snippet": "location ~ /deny { deny all; }" };
    const shared = ingress({ name: "shared", host: "shared.example", paths: [["/a", "web"]] });
    const guilty = ingress({ name: "guilty", host: "shared.example", paths: [["/x", "web", "Exact"]], annotations });
    await apply(shared, guilty);
    expect(refused()).toEqual([expect.stringMatching(/^guilty nginx refused it: location "\/deny" cannot be inside/)]);
    expect((await request({ to: "192.0.2.1:80", host: "shared.example", path: "/a" })).status).toBe(503);
  });
});
