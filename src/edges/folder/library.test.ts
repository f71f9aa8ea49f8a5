import { expect, test } from "vitest";
import type { IngressClass } from "../../core/model/objects.ts";
import { type Problem, sentence } from "../../core/model/problem.ts";
import { severityOf } from "../../core/model/problem-kinds.ts";
import { Library } from "./library.ts";
import { readManifest } from "./manifest.ts";

const assumedClass: IngressClass = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "nginx" },
  spec: { controller: "k8s.io/ingress-nginx" },
};

const service = (name: string, port: number | string, extra = ""): string =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}${extra}}\nspec: {ports: [{port: ${port}}]}\n`;

function library() {
  const one = new Library({ assumedClass, now: () => new Date("2026-01-01T00:00:00Z") });
  return {
    one,
    change: (texts: Readonly<Record<string, string | undefined>>) =>
      one.change(
        new Map(Object.entries(texts).map(([file, text]) => [file, text === undefined ? text : readManifest(text)])),
      ),
    port: (name: string) => one.snapshot.services.get(`default/${name}`)?.spec?.ports?.[0]?.port,
    all: () => [...one.problems.values()].flat(),
    sentences: () => [...one.problems.values()].flat().map(sentence),
  };
}

test("a file that becomes unreadable keeps its objects, and its next good version is used", () => {
  const { change, port, sentences } = library();
  change({ "a.yaml": service("a", 80) });
  change({ "a.yaml": "kind: [" });
  expect(port("a")).toBe(80);
  expect(sentences()).toEqual([expect.stringMatching(/^line 1, column \d+: .*; what it held before stays in force$/)]);
  change({ "a.yaml": service("a", 81) });
  expect([port("a"), sentences()]).toEqual([81, []]);
});

test("an object that becomes unreadable keeps its last good version, and the others in its file go on", () => {
  const { change, port, sentences } = library();
  change({ "a.yaml": `${service("a", 80)}---\n${service("b", 80)}` });
  change({ "a.yaml": `${service("a", "eighty")}---\n${service("b", 81)}` });
  expect([port("a"), port("b")]).toEqual([80, 81]);
  expect(sentences()).toEqual([
    "a.yaml line 4, column 17: spec.ports[0].port: text is not a whole number from 1 to 65535; its last good version stays in force",
  ]);
});

test("an object of an old apiVersion is unreadable, so its last good version stays", () => {
  const { change, port, sentences } = library();
  change({ "a.yaml": service("a", 80) });
  change({ "a.yaml": service("a", 81).replace("apiVersion: v1", "apiVersion: v1beta1") });
  expect(port("a")).toBe(80);
  expect(sentences()).toEqual([expect.stringMatching(/^a\.yaml line 1, .*its last good version stays in force$/)]);
});

test("the objects whose former form is in force are named, with the mistake of their present text", () => {
  const { one, change } = library();
  const outdated = () =>
    one.outdated.map(({ object, ...problem }) => `${object.name}: ${sentence({ object, ...problem } as Problem)}`);
  change({ "a.yaml": `${service("a", 80)}---\n${service("b", 80)}`, "c.yaml": service("c", 80) });
  expect(outdated()).toEqual([]);
  change({ "a.yaml": `${service("a", "eighty")}---\n${service("b", 81)}` });
  expect(outdated()).toEqual([expect.stringMatching(/^a: a\.yaml line 4, .*; its last good version stays in force$/)]);
  change({ "a.yaml": "kind: [" });
  const broken = (name: string) =>
    expect.stringMatching(new RegExp(`^${name}: .*; what it held before stays in force$`));
  expect(outdated()).toEqual([broken("a"), broken("b")]);
  change({ "a.yaml": service("a", 81) });
  expect(outdated()).toEqual([]);
});

test("an object without any good version is not applied", () => {
  const { change, port, sentences } = library();
  change({ "a.yaml": service("a", 0) });
  expect(port("a")).toBeUndefined();
  expect(sentences()).toEqual([expect.stringContaining("0 is not a whole number from 1 to 65535; it is not applied")]);
});

test("where two files define one object, the first one seen counts, until it no longer defines it", () => {
  const { change, port, sentences } = library();
  change({ "b.yaml": service("a", 80) });
  change({ "a.yaml": service("a", 81) });
  expect(port("a")).toBe(80);
  expect(sentences()).toEqual(["a.yaml line 1, column 1: b.yaml defines it already, in line 1; this one is ignored"]);
  change({ "b.yaml": undefined });
  expect([port("a"), sentences()]).toEqual([81, []]);
});

test("where one file has two definitions of an object, the first counts", () => {
  const { change, port, sentences } = library();
  change({ "a.yaml": `${service("a", 80)}---\n${service("a", 81)}` });
  expect(port("a")).toBe(80);
  expect(sentences()).toEqual(["a.yaml line 6, column 1: a.yaml defines it already, in line 1; this one is ignored"]);
});

test("an equal definition in another place is ignored with a warning", () => {
  const { change, all, sentences } = library();
  change({ "b.yaml": service("a", 80) });
  change({ "a.yaml": `${service("a", 80)}---\n${service("a", 80)}` });
  const equally = (line: number, first: string) =>
    `a.yaml line ${line}, column 1: ${first} defines it already, in line 1, and equally; this one is ignored`;
  expect(sentences()).toEqual([equally(6, "a.yaml"), equally(1, "b.yaml")]);
  expect(all().map(severityOf)).toEqual(["warning", "warning"]);
});

test("an object that did not change keeps its value", () => {
  const { one, change } = library();
  change({ "a.yaml": `${service("a", 80)}---\n${service("b", 80)}`, "c.yaml": service("c", 80) });
  const before = one.snapshot;
  change({ "a.yaml": `# more\n${service("a", 80)}---\n${service("b", 81)}` });
  expect(one.snapshot.services.changesSince(before.services).map(({ key }) => key)).toEqual(["default/b"]);
  change({ "a.yaml": `${service("a", 80)}---\n${service("b", 81)}` });
  const same = one.snapshot;
  change({ "a.yaml": `\n${service("a", 80)}---\n${service("b", 81)}` });
  expect(one.snapshot).toBe(same);
});

test("an object's age is the written one or else the order of first sight, also after edits and moves between files", () => {
  const { one, change } = library();
  const age = (name: string) => one.snapshot.services.get(`default/${name}`)!.metadata.creationTimestamp!;
  change({
    "b.yaml": service("b", 80),
    "a.yaml": `${service("a", 80)}---\n${service("old", 80, ", creationTimestamp: 2020-01-01T00:00:00Z")}`,
  });
  const first = age("b");
  expect(first < age("a")).toBe(true);
  expect(age("old")).toBe("2020-01-01T00:00:00Z");
  change({ "b.yaml": service("b", 81) });
  expect(age("b")).toBe(first);
  change({ "b.yaml": undefined, "c.yaml": service("b", 81) });
  expect(age("b")).toBe(first);
  change({ "c.yaml": undefined });
  change({ "c.yaml": service("b", 81) });
  expect(age("b") > age("a")).toBe(true);
});

test("a default class is assumed until the folder has one", () => {
  const { one, change } = library();
  expect([...one.snapshot.ingressClasses!.keys()]).toEqual(["nginx"]);
  const text =
    "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: own}\nspec: {controller: a.b/c}\n";
  change({ "a.yaml": text });
  expect([...one.snapshot.ingressClasses!.keys()]).toEqual(["own"]);
  change({ "a.yaml": undefined });
  expect([...one.snapshot.ingressClasses!.keys()]).toEqual(["nginx"]);
});

test("a version that would remove paths or guards is recognised", () => {
  const { one, change } = library();
  change({ "a.yaml": `${service("a", 80)}---\n${service("b", 80)}` });
  expect(one.wouldLose("a.yaml", readManifest(`${service("a", 81)}---\n${service("b", 80)}`))).toBe(false);
  expect(one.wouldLose("a.yaml", readManifest(service("a", 80)))).toBe(true);
  expect(one.wouldLose("a.yaml", readManifest(""))).toBe(true);
  expect(one.wouldLose("a.yaml", undefined)).toBe(true);
  expect(one.wouldLose("b.yaml", readManifest(""))).toBe(false);
});

test("an object that moves unchanged to another file keeps its value", () => {
  const { one, change, port } = library();
  change({ "a.yaml": `${service("a", 80)}---\n${service("b", 80)}` });
  const before = one.snapshot.services;
  change({ "a.yaml": undefined, "c.yaml": `${service("b", 81)}---\n${service("a", 80)}` });
  expect(one.snapshot.services.changesSince(before).map(({ key }) => key)).toEqual(["default/b"]);
  expect(port("b")).toBe(81);
});
