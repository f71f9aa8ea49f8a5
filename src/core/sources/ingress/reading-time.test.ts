/**
 * Tests fields of an Ingress whose length is not limited. Each gets half a megabyte of text that
 * some patterns read slowly, and is read as in a turn and in the webhook. Quadratic time would take
 * hours, so a busy machine does not change the result.
 */
import { expect, test } from "vitest";
import { base, fake, ingress, put } from "../../../../test/support/sketch.ts";
import { judge } from "../../../edges/admission/judge.ts";
import { Neighbours } from "../../../edges/admission/neighbours.ts";
import type { Ingress } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { defaultSettings } from "../../settings/registry.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const withPath = (path: string, type: string, annotations: Record<string, string> = {}) =>
  ingress({ name: "long", host: "a.example", paths: [[`/${path}`, "web", type]], annotations });
const rewritten = { "use-regex": "true", "rewrite-target": "/$1" };
const fields: Readonly<Record<string, (text: string) => Ingress>> = {
  path: (text) => withPath(text, "ImplementationSpecific"),
  "path of a pattern": (text) => withPath(text, "ImplementationSpecific", rewritten),
  "exact path": (text) => withPath(text, "Exact", { "ssl-redirect": "true" }),
  host: (text) => ingress({ name: "long", host: text }),
  Service: (text) => ingress({ name: "long", host: "a.example", paths: [["/", text]] }),
  tls: (text) => ingress({ name: "long", host: "a.example", spec: { tls: [{ hosts: [text], secretName: text }] } }),
  "name of an annotation": (text) => ingress({ name: "long", annotations: { [text]: "x" } }),
};
const pieces = [
  "[",
  "[a",
  "(",
  "(a",
  "a|",
  "\\",
  "\\.",
  "a",
  "/",
  "../",
  ".",
  "%2f",
  "{1,",
  "$",
  "*.",
  " ",
  "-",
  "?",
  "]",
];
const length = 500_000;

test.each(Object.keys(fields))("the field %s is read in a moment at half a megabyte", { timeout: 60_000 }, (field) => {
  for (const piece of pieces) {
    const object = fields[field]!(piece.repeat(length / piece.length));
    const inputs = { ...emptyInputs, snapshot: put(base, object) };
    for (const lacks of [new Set<never>(), new Set(["lua"] as const)]) {
      const { problems } = translate(inputs, { ...defaultOptions, lacks }, fake);
      for (const problem of [...problems.values()].flat()) expect(sentence(problem).length).toBeLessThan(5_000);
    }
    const neighbours = new Neighbours(defaultOptions);
    const bench = { snapshot: base, neighbours, settings: defaultSettings, options: defaultOptions };
    expect(judge(object, { ...bench, watches: () => true }).kind).toBe("judged");
  }
});
