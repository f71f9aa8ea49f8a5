import { expect, test } from "vitest";
import type { Ingress } from "../model/objects.ts";
import { type Problem, sentence } from "../model/problem.ts";
import { emptySnapshot } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";
import { emptyLastGood, type LastGood } from "./last-good.ts";
import { LastGoodNotes } from "./last-good-notes.ts";

const settings = { kind: "ConfigMap", namespace: "ops", name: "sluice" };
const web = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { namespace: "shop", name: "web" } };

test("each last good form is reported until it is gone, with the moment at which it was first used", () => {
  const notes = new LastGoodNotes();
  const lastGood: LastGood = {
    ...emptyLastGood,
    objects: Table.from([["Ingress shop/web", web as Ingress]]),
    settings: { "proxy-body-size": "1m" },
  };
  const sentences = (kept: LastGood, time: string) =>
    [...notes.of(kept, emptySnapshot, settings, new Date(time), Table.empty()).values()].flat().map(sentence).sort();
  const first = sentences(lastGood, "2026-01-01T12:00:59Z");
  expect(first).toEqual([
    "key proxy-body-size: the present value is not applied; the last good one is in force, since 2026-01-01 12:00 UTC or longer, until a value can be applied",
    "the present version is not applied; the last good one is in force, since 2026-01-01 12:00 UTC or longer, until a version can be applied",
  ]);
  expect(sentences(lastGood, "2026-01-02T12:00:00Z")).toEqual(first);
  expect(sentences(emptyLastGood, "2026-01-03T12:00:00Z")).toEqual([]);
});

test.each<readonly [string, "nginx-refused" | "version-closed", boolean, string]>([
  ["nginx refused and which may guard more", "nginx-refused", true, "its paths answer 503"],
  ["nginx refused and which guards no more", "nginx-refused", false, "the last good one is in force"],
  ["is not applied and may guard more", "version-closed", true, "its paths answer 503"],
])("the report on a version that %s has what is served in its place", (_, kind, closes, expected) => {
  const object = { kind: "Ingress", namespace: "shop", name: "web" };
  const problem: Problem =
    kind === "nginx-refused" ? { object, kind, why: "no", ...(closes && { closes: true }) } : { object, kind };
  const lastGood = { ...emptyLastGood, objects: Table.from([["Ingress shop/web", web as Ingress]]) };
  const others = Table.from([["Ingress shop/web", [problem]]]);
  const notes = new LastGoodNotes().of(lastGood, emptySnapshot, settings, new Date(0), others);
  expect([...notes.values()].flat().map(sentence)).toEqual([
    expect.stringContaining(`the present version is not applied; ${expected}`),
  ]);
});
