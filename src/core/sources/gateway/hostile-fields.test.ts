/**
 * Tests each field of the kinds of the Gateway API with a megabyte of text that some patterns read
 * slowly. The API server bounds these fields, but only if it has the definitions with their
 * bounds.
 */
import { expect, test } from "vitest";
import {
  everyKind,
  pathsIn,
  valueAt,
  wholeOptions,
  wholeSnapshot,
  withValue,
} from "../../../../test/support/every-kind.ts";
import { fake, put } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

/** Signs that separate the parts of names and lists: each field gets these. */
const separators = [".", "/", ","];
/** Of these each field gets four, and its neighbours others. */
const pieces = [
  ...["[", "(a", "a|", "\\", "../", "%2f", "{1,", "$", "*.", " ", "-", "?", "-a", "\n", "::", "0", ",a"],
  ...["\x1b[", "\u009b", "\u202e"],
];
const length = 1_000_000;

/** Returns the milliseconds of processor time for reading the object, and all messages. */
function read(object: KubernetesObject) {
  const inputs = { ...emptyInputs, snapshot: put(wholeSnapshot, object) };
  const begun = process.cpuUsage();
  const { problems, statuses } = translate(inputs, wholeOptions, fake);
  const { user, system } = process.cpuUsage(begun);
  const said = [...problems.values()].flat().map(sentence);
  const conditions = [...statuses.values()].map((status) => JSON.stringify({ ...status, object: undefined }));
  return { tookMs: (user + system) / 1_000, said, conditions };
}

test.each(Object.keys(everyKind))("each field of %s with a megabyte of text is read in 50 ms", (kind) => {
  const object = everyKind[kind]!;
  const fields = pathsIn(object).filter((path) => typeof valueAt(object, path) !== "object");
  fields.forEach((path, number) => {
    const some = [0, 1, 2, 3].map((at) => pieces[(number * 4 + at) % pieces.length]!);
    for (const piece of [...separators, ...some]) {
      const changed = withValue(object, path, piece.repeat(length / piece.length));
      const about = `${path.join(".")} of ${JSON.stringify(piece)}`;
      // The collection of garbage of earlier texts may take longer than the reading.
      let best = read(changed);
      for (let again = 0; again < 20 && best.tookMs >= 50; again++) {
        const next = read(changed);
        if (next.tookMs < best.tookMs) best = next;
      }
      expect.soft(best.tookMs, about).toBeLessThan(50);
      for (const text of best.said) {
        expect.soft(text.length, about).toBeLessThan(30_000);
        expect.soft(text, about).not.toMatch(/[\p{Cc}\u202e]/u);
      }
    }
  });
});

test("a ConfigMap with ten thousand unknown keys makes a short message", () => {
  const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key-${at}`, "x"]));
  const { said } = read({ ...everyKind.ConfigMap!, data } as KubernetesObject);
  const about = said.filter((text) => text.includes("key-"));
  expect(about.length).toBeGreaterThan(0);
  for (const text of about)
    expect(text).toMatch(/has the keys key-0, key-1, key-2, key-3, key-4, 9995 more, and only /);
});
