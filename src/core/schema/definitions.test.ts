/**
 * The generated definitions are those that are published. Each pattern of them has a sentence, and
 * each field of the Gateway API a type by which it is read.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { definitionsFile, definitionsText, haveSources } from "../../../scripts/definitions.ts";
import definitions from "./definitions.json" with { type: "json" };
import type { Definitions, Schema } from "./schema.ts";
import { ofPattern } from "./sentences.ts";

const all = Object.values(definitions as Definitions);

function* partsOf(schema: Schema): Generator<Schema> {
  yield schema;
  const others = typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
  for (const part of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : []), ...others])
    yield* partsOf(part);
}

const parts = all.flatMap((schema) => [...partsOf(schema)]);

test.skipIf(!haveSources())("the definitions are those that are published; npm run definitions writes them", () => {
  expect(readFileSync(definitionsFile, "utf8")).toBe(definitionsText());
});

test("the sentence about each pattern says what it stands for", () => {
  const patterns = new Set(parts.flatMap(({ pattern }) => pattern ?? []));
  expect(patterns.size).toBeGreaterThan(10);
  expect([...patterns].filter((pattern) => ofPattern("?", pattern).includes("does not match"))).toEqual([]);
});

/** The fields of policies, whose types stand beside their readers. */
const ofPolicies = ["targetRefs", "subjectAltNames", "uri", "wellKnownCACertificates"];

/**
 * A field that nothing reads may be a guard, and no Problem names it once it is in the definitions.
 */
test("a field of the Gateway API that comes with newer definitions is not taken for one that is served", () => {
  const folder = join(import.meta.dirname, "../model/gateway");
  const types = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join();
  const fields = Object.entries(definitions as Definitions)
    .filter(([name]) => /Route|Gateway|ListenerSet|ReferenceGrant|BackendTLSPolicy/.test(name))
    .flatMap(([, { properties }]) => fieldsOf(properties!.spec!));
  const names = new Set(fields);
  expect(names.size).toBeGreaterThan(100);
  const isRead = (name: string) => new RegExp(`\\b${name}\\b`).test(types) || ofPolicies.includes(name);
  expect([...names].filter((name) => !isRead(name))).toEqual([]);
});

/** Returns the names of all fields inside. */
function fieldsOf(schema: Schema): readonly string[] {
  return [...partsOf(schema)].flatMap(({ $ref, properties = {} }) => [
    ...Object.keys(properties),
    ...($ref === undefined ? [] : fieldsOf((definitions as Definitions)[$ref]!)),
  ]);
}
